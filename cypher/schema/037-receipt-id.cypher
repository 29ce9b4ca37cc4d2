// A command id names one receipt.
// writes: none
// returns: none
CREATE CONSTRAINT receipt_id IF NOT EXISTS FOR (r:Receipt)
REQUIRE r.commandId IS UNIQUE
