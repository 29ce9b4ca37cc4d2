// Writes the parents and roots that runs turned out to have.
// writes: runs
// returns: none
UNWIND $runs AS row
MATCH (r:Run {runId: row.runId})
SET r.parentRunId = row.parentRunId, r.rootRunId = row.rootRunId
