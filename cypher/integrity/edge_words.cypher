// Lineage edges without evidence, and spawns without a status.
// reads: limit
// returns: ids, stored, expected
MATCH (newer)-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF|HISTORY_BASE]->(origin)
WHERE coalesce(edge.evidence, '') = ''
  OR (type(edge) = 'SPAWNED_BY' AND coalesce(edge.status, '') = '')
WITH edge, newer, origin ORDER BY newer.threadId, type(edge) LIMIT $limit
RETURN [newer.threadId, origin.threadId] AS ids, type(edge) AS stored,
  CASE WHEN coalesce(edge.evidence, '') = '' THEN 'evidence' ELSE 'status' END AS expected
