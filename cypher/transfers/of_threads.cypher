// A page of the transfers of each thread, oldest first.
// reads: thread_ids, into, out, statuses, after_at, after_id, limit, columns
// returns: owner_id, columns, has_previous
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  CALL (owner_id) {
    MATCH (x:Transfer)
    WHERE $into AND x.targetThreadId = owner_id AND x.status IN $statuses
    RETURN x
  UNION
    MATCH (x:Transfer)
    WHERE $out AND x.sourceThreadId = owner_id AND x.status IN $statuses
    RETURN x
  }
  WITH collect(x) AS xs
  CALL (xs) {
    UNWIND xs AS x
    WITH x
    WHERE x.createdAt > $after_at OR (x.createdAt = $after_at AND x.transferId > $after_id)
    WITH x ORDER BY x.createdAt, x.transferId LIMIT $limit
    RETURN collect(x) AS page
  }
  RETURN page, any(x IN xs WHERE x.createdAt < $after_at
    OR (x.createdAt = $after_at AND x.transferId <= $after_id)) AS has_previous
}
RETURN owner_id, [c IN $columns | [x IN page | x[c]]] AS columns, has_previous
