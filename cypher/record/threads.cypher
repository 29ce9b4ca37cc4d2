// Writes properties of threads that are there.
// writes: threads
// returns: none
// A revision stands only in the row of a new thread; that of a root has an id: see revise.
UNWIND $threads AS row
MATCH (t:Thread {threadId: row.threadId})
SET t += row
WITH t, row
WHERE row.revision > 0
SET t.revisionId = randomUUID()
