// Makes the transfers of a batch, locks them, and tells how those that were there stand.
// writes: transfer_ids
// returns: transfers
// A transfer leaves as id, digest of its record, rank of its proof, source and target; of one that
// is made here all but the id are null. The ids are sorted.
UNWIND $transfer_ids AS transfer_id
MERGE (x:Transfer {transferId: transfer_id})
REMOVE x.taken
RETURN collect([
  x.transferId, x.recordDigest, x.proofRank, x.sourceThreadId, x.targetThreadId
]) AS transfers
