// The transfers of a status in the order in which they were made.
// writes: none
// returns: none
CREATE INDEX transfer_created_at IF NOT EXISTS FOR (x:Transfer)
ON (x.status, x.createdAt, x.transferId)
