// Threads with several fork sources, several parents or several history bases.
// reads: limit
// returns: ids, stored, expected
MATCH (child)-[edge:FORKED_FROM|CHILD_OF|HISTORY_BASE]->(origin)
WITH child, type(edge) AS kind, origin ORDER BY origin.threadId
WITH child, kind, collect(origin.threadId) AS origins
WHERE size(origins) > 1
WITH child, kind, origins ORDER BY child.threadId, kind LIMIT $limit
RETURN [child.threadId] + origins AS ids, toString(size(origins)) + ' ' + kind AS stored,
  '1 ' + kind AS expected
