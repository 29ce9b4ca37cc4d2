// Writes a checkpoint and hangs it on its thread and its run's.
// writes: checkpoint
// returns: none
MATCH (t:Thread {threadId: $checkpoint.threadId})
MERGE (c:Checkpoint {checkpointId: $checkpoint.checkpointId})
SET c = $checkpoint
MERGE (t)-[:HAS_CHECKPOINT]->(c)
