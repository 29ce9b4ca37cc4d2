// The transfers into a thread, by status.
// writes: none
// returns: none
CREATE INDEX transfer_target IF NOT EXISTS FOR (x:Transfer)
ON (x.targetThreadId, x.status)
