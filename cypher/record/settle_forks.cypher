// Writes the points that forks turned out to have.
// writes: forks
// returns: none
UNWIND $forks AS row
MATCH (:Thread {threadId: row.childId})-[e:FORKED_FROM]->()
SET e.pointRunId = row.pointRunId
