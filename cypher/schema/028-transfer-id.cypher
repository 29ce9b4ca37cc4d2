// A transfer id names one transfer.
// writes: none
// returns: none
CREATE CONSTRAINT transfer_id IF NOT EXISTS FOR (x:Transfer)
REQUIRE x.transferId IS UNIQUE
