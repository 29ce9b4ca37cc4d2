// Writes properties of threads that are there.
// writes: threads
// returns: none
UNWIND $threads AS row
MATCH (t:Thread {threadId: row.threadId})
SET t += row
