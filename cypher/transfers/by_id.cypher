// Transfers by their ids.
// reads: transfer_ids, columns
// returns: columns
UNWIND $transfer_ids AS transfer_id
MATCH (x:Transfer {transferId: transfer_id})
WITH collect(x) AS xs
RETURN [c IN $columns | [x IN xs | x[c]]] AS columns
