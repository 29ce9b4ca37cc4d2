// Threads that several edges say were spawned.
// reads: limit
// returns: ids, stored, expected
MATCH (child)-[spawn:SPAWNED_BY]->(parent)
WITH child, parent ORDER BY parent.threadId
WITH child, collect(parent.threadId) AS spawners
WHERE size(spawners) > 1
WITH child, spawners ORDER BY child.threadId LIMIT $limit
RETURN [child.threadId] + spawners AS ids, toString(size(spawners)) AS stored, '1' AS expected
