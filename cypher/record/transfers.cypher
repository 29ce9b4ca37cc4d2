// Writes transfers that are there, and hangs them on what they name.
// writes: transfers
// returns: none
// A run or checkpoint that is not there yet gets no edge: it is found by the id in a property.
UNWIND $transfers AS row
MATCH (x:Transfer {transferId: row.properties.transferId})
MATCH (source:Thread {threadId: row.properties.sourceThreadId})
MATCH (target:Thread {threadId: row.properties.targetThreadId})
CALL (x) {
  MATCH (x)-[old:TRANSFERS_FROM|TRANSFERS_TO|SOURCE_POINT|BASE_POINT|CONSUMED_BY|RESOLVED_BY]->()
  DELETE old
}
SET x = row.properties, source.hasTransfers = true, target.hasTransfers = true
CREATE (x)-[:TRANSFERS_FROM]->(source)
CREATE (x)-[:TRANSFERS_TO]->(target)
WITH x, row
CALL (x, row) {
  MATCH (run:Run {runId: row.sourceRunId})
  CREATE (x)-[:SOURCE_POINT]->(run)
}
CALL (x, row) {
  MATCH (checkpoint:Checkpoint {checkpointId: row.sourceCheckpointId})
  CREATE (x)-[:SOURCE_POINT]->(checkpoint)
}
CALL (x, row) {
  MATCH (run:Run {runId: row.baseRunId})
  CREATE (x)-[:BASE_POINT]->(run)
}
CALL (x, row) {
  MATCH (checkpoint:Checkpoint {checkpointId: row.baseCheckpointId})
  CREATE (x)-[:BASE_POINT]->(checkpoint)
}
CALL (x, row) {
  MATCH (run:Run {runId: row.consumingRunId})
  CREATE (x)-[:CONSUMED_BY]->(run)
}
CALL (x) {
  MATCH (handoff:Handoff {handoffId: x.handoffId})
  CREATE (x)-[:RESOLVED_BY]->(handoff)
}
