// What the graph already has of a batch, before anything is locked.
// reads: thread_ids, child_ids, transfer_ids
// returns: threads, spawns, transfers
// A thread that was never recorded is not there; a spawn edge leaves as what was stated of it, a
// transfer as id, digest of its record, rank of its proof, source and target.
CALL () {
  UNWIND $thread_ids AS thread_id
  MATCH (t:Thread {threadId: thread_id})
  WHERE t.recorded
  RETURN collect([t.threadId, t.driver, t.importDigest]) AS threads
}
CALL () {
  UNWIND $child_ids AS child_id
  MATCH (c:Thread {threadId: child_id})-[e:SPAWNED_BY]->(p)
  RETURN collect([
    c.threadId, p.threadId, e.proofRank, e.evidence, e.status, e.origin,
    e.statedRunId, e.statedCallId, e.statedAt, e.transferId
  ]) AS spawns
}
CALL () {
  UNWIND $transfer_ids AS transfer_id
  MATCH (x:Transfer {transferId: transfer_id})
  RETURN collect([
    x.transferId, x.recordDigest, x.proofRank, x.sourceThreadId, x.targetThreadId
  ]) AS transfers
}
RETURN threads, spawns, transfers
