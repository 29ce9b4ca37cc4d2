// The handoffs of some ids, as far as they were made.
// reads: handoff_ids, columns
// returns: columns
MATCH (handoff:Handoff)
WHERE handoff.handoffId IN $handoff_ids
WITH collect(handoff) AS handoffs
RETURN [c IN $columns | [handoff IN handoffs | handoff[c]]] AS columns
