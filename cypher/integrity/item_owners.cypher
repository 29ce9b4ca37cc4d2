// Items of a thread that is not there.
// reads: limit
// returns: ids, stored, expected
MATCH (item:Item)
WHERE item.threadId IS NULL OR NOT EXISTS { (:Thread {threadId: item.threadId}) }
WITH item ORDER BY item.itemId LIMIT $limit
RETURN [coalesce(item.itemId, elementId(item))] AS ids, coalesce(item.threadId, 'none') AS stored,
  'a thread' AS expected
