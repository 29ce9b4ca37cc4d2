// The listed transfers among the few that one condition selects, oldest first.
// reads: by, filter, statuses, types, start, high, after_at, after_id, limit, columns
// returns: columns, has_previous
// The lists in by hold the one condition that selects the fewest; the others are empty.
CALL () {
  UNWIND $by.ids AS id
  MATCH (x:Transfer {transferId: id})
  RETURN x
UNION
  MATCH (x:Transfer)
  WHERE x.targetThreadId IN $by.targets AND x.status IN $statuses
  RETURN x
UNION
  MATCH (x:Transfer)
  WHERE x.sourceThreadId IN $by.sources
  RETURN x
}
WITH x
WHERE x.status IN $statuses AND x.type IN $types
  AND x.createdAt >= $start AND x.createdAt < $high
  AND ($filter.ids IS NULL OR x.transferId IN $filter.ids)
  AND ($filter.source_thread_id IS NULL OR x.sourceThreadId = $filter.source_thread_id)
  AND ($filter.target_thread_id IS NULL OR x.targetThreadId = $filter.target_thread_id)
  AND ($filter.thread_id IS NULL OR $filter.thread_id IN [x.sourceThreadId, x.targetThreadId])
WITH collect(x) AS xs
CALL (xs) {
  UNWIND xs AS x
  WITH x
  WHERE x.createdAt > $after_at OR (x.createdAt = $after_at AND x.transferId > $after_id)
  WITH x ORDER BY x.createdAt, x.transferId LIMIT $limit
  RETURN collect(x) AS page
}
RETURN [c IN $columns | [x IN page | x[c]]] AS columns,
  any(x IN xs WHERE x.createdAt < $after_at
      OR (x.createdAt = $after_at AND x.transferId <= $after_id)) AS has_previous
