// Threads whose stored number of items is not the number of their items.
// reads: limit
// returns: ids, stored, expected
MATCH (thread:Thread)
WHERE thread.recorded
WITH thread, COUNT {
  MATCH (item:Item)
  WHERE item.threadId = thread.threadId AND item.position IS NOT NULL
} AS expected
WHERE coalesce(thread.itemCount, 0) <> expected
WITH thread, expected ORDER BY thread.threadId LIMIT $limit
RETURN [thread.threadId] AS ids, toString(coalesce(thread.itemCount, 0)) AS stored,
  toString(expected) AS expected
