// All transfers of some statuses and types behind a place of the list, oldest first.
// reads: statuses, types, start, low, high, after_at, after_id, limit, columns
// returns: columns, has_previous
// The index (status, createdAt, transferId) gives the order within a status, so that a page costs
// its own rows for each; in these words alone, as in threads/created_ascending. What is made from
// start on is listed, and from low on it can stand on the page.
CALL () {
  UNWIND $statuses AS status
  CALL (status) {
    MATCH (x:Transfer)
    WHERE x.status = status AND x.createdAt >= $low AND x.createdAt < $high
      AND x.transferId IS NOT NULL
      AND CASE x.createdAt WHEN $after_at THEN x.transferId > $after_id ELSE true END
      AND x.type IN $types
    WITH x ORDER BY x.status, x.createdAt, x.transferId LIMIT $limit
    RETURN x
  }
  RETURN x ORDER BY x.createdAt, x.transferId LIMIT $limit
}
WITH collect(x) AS xs
RETURN [c IN $columns | [x IN xs | x[c]]] AS columns, EXISTS {
  MATCH (x:Transfer)
  WHERE x.status IN $statuses AND x.createdAt >= $start AND x.createdAt <= $after_at
    AND x.createdAt < $high AND x.transferId IS NOT NULL
    AND CASE x.createdAt WHEN $after_at THEN x.transferId <= $after_id ELSE true END
    AND x.type IN $types
} AS has_previous
