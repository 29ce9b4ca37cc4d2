// What transfers carry now.
// reads: transfer_ids, columns
// returns: owner_ids, columns
UNWIND $transfer_ids AS transfer_id
MATCH (x:Transfer {transferId: transfer_id})
MATCH (h:Handoff {handoffId: x.handoffId})
WITH collect(x.transferId) AS owner_ids, collect(h) AS hs
RETURN owner_ids, [c IN $columns | [h IN hs | h[c]]] AS columns
