// A checkpoint id names one checkpoint.
// writes: none
// returns: none
CREATE CONSTRAINT checkpoint_id IF NOT EXISTS FOR (c:Checkpoint)
REQUIRE c.checkpointId IS UNIQUE
