// Writes the runs, calls and times that spawn edges turned out to have.
// writes: spawns
// returns: none
UNWIND $spawns AS row
MATCH (:Thread {threadId: row.childId})-[e:SPAWNED_BY]->()
SET e.runId = row.runId, e.callId = row.callId, e.at = row.at
