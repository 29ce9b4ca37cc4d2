// The thread list by (`createdAt`, `threadId`).
// writes: none
// returns: none
CREATE INDEX thread_created_at IF NOT EXISTS FOR (t:Thread)
ON (t.deleted, t.archived, t.createdAt, t.threadId)
