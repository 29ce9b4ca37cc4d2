// Keeps others from the items of threads until this transaction ends.
// writes: thread_ids
// returns: thread_ids
// The threads that are there, in the order in which they are locked.
UNWIND $thread_ids AS thread_id
MATCH (t:Thread {threadId: thread_id})
SET t.itemCount = coalesce(t.itemCount, 0)
RETURN collect(t.threadId) AS thread_ids
