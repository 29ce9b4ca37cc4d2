// Threads that hang on several others and are not marked so, or the other way round.
// reads: limit
// returns: ids, stored, expected
MATCH (thread:Thread)
OPTIONAL MATCH (thread)-[:FORKED_FROM|SPAWNED_BY|CHILD_OF]->(origin)
WITH thread, count(DISTINCT origin) > 1 AS expected
WHERE coalesce(thread.severalOrigins, false) <> expected
WITH thread, expected ORDER BY thread.threadId LIMIT $limit
RETURN [thread.threadId] AS ids, toString(NOT expected) AS stored, toString(expected) AS expected
