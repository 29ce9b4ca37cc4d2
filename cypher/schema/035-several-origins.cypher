// Marks the threads that hang on several others, as recording does from here on.
// writes: none
// returns: none
MATCH (t:Thread)-[:FORKED_FROM|SPAWNED_BY|CHILD_OF]->(origin)
WITH t, count(DISTINCT origin) AS origins
WHERE origins > 1
SET t.severalOrigins = true
