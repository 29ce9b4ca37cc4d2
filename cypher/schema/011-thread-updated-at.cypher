// The thread list by (`updatedAt`, `threadId`).
// writes: none
// returns: none
CREATE INDEX thread_updated_at IF NOT EXISTS FOR (t:Thread)
ON (t.deleted, t.archived, t.updatedAt, t.threadId)
