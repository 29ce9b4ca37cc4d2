// The threads of a tree.
// writes: none
// returns: none
CREATE INDEX thread_root IF NOT EXISTS FOR (t:Thread)
ON (t.rootThreadId, t.threadId)
