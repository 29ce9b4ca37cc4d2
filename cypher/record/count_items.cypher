// Adds to the number of items that threads have.
// writes: counts
// returns: none
UNWIND $counts AS row
MATCH (t:Thread {threadId: row.threadId})
SET t.itemCount = coalesce(t.itemCount, 0) + row.count
