// Writes runs and hangs them on their threads.
// writes: runs
// returns: none
// A run stays with the thread that had it first: a run id never moves.
UNWIND $runs AS row
MATCH (t:Thread {threadId: row.threadId})
MERGE (r:Run {runId: row.runId})
WITH t, r, row
WHERE r.threadId IS NULL OR r.threadId = row.threadId
SET r += row
MERGE (t)-[:HAS_RUN]->(r)
