// What the graph already has of a batch, before anything is locked.
// reads: thread_ids, child_ids
// returns: threads, spawns
// A thread that was never recorded is not there; a spawn edge leaves as what was stated of it.
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
    e.statedRunId, e.statedCallId, e.statedAt
  ]) AS spawns
}
RETURN threads, spawns
