// Writes handoffs and hangs their transfers on them.
// writes: handoffs
// returns: none
UNWIND $handoffs AS row
MATCH (x:Transfer {transferId: row.transferId})
MERGE (h:Handoff {handoffId: row.handoffId})
SET h = row
MERGE (x)-[:RESOLVED_BY]->(h)
