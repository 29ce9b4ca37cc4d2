// The transfers out of a thread.
// writes: none
// returns: none
CREATE INDEX transfer_source IF NOT EXISTS FOR (x:Transfer)
ON (x.sourceThreadId)
