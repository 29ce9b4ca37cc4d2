// How many transfers are listed among the few that one condition selects.
// reads: by, filter, statuses, types, start, high
// returns: count
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
RETURN count(x) AS count
