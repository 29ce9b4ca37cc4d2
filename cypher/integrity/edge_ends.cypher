// Lineage edges that do not lead from a thread to another one.
// reads: limit
// returns: ids, stored, expected
MATCH (newer)-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF|HISTORY_BASE]->(origin)
WHERE newer = origin OR NOT newer:Thread OR NOT origin:Thread
  OR newer.threadId IS NULL OR origin.threadId IS NULL
WITH edge, coalesce(newer.threadId, elementId(newer)) AS newer_id,
  coalesce(origin.threadId, elementId(origin)) AS origin_id
ORDER BY newer_id, type(edge) LIMIT $limit
RETURN [newer_id, origin_id] AS ids, type(edge) AS stored, 'two threads' AS expected
