// The thread list by (`recencyAt`, `threadId`).
// writes: none
// returns: none
CREATE INDEX thread_recency_at IF NOT EXISTS FOR (t:Thread)
ON (t.deleted, t.archived, t.recencyAt, t.threadId)
