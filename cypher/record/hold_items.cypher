// Keeps others from the items of threads until this transaction ends.
// writes: thread_ids
// returns: thread_ids
// The threads that are there, in the order in which they are locked: see `lock_trees`.
UNWIND $thread_ids AS thread_id
MATCH (t:Thread {threadId: thread_id})
REMOVE t.taken
RETURN collect(t.threadId) AS thread_ids
