// The edges of threads to their origins, and the runs of threads.
// reads: child_ids, thread_ids, run_columns
// returns: spawns, forks, parents, bases, owners, runs
// Edges leave as lists that begin with child, origin and the rank of their proof. The columns of
// the runs stand beside their owners.
CALL () {
  UNWIND $child_ids AS child_id
  MATCH (c:Thread {threadId: child_id})-[e:SPAWNED_BY]->(p)
  RETURN collect([
    c.threadId, p.threadId, e.proofRank, e.evidence, e.status, e.origin,
    e.statedRunId, e.statedCallId, e.statedAt, e.transferId
  ]) AS spawns
}
CALL () {
  UNWIND $child_ids AS child_id
  MATCH (c:Thread {threadId: child_id})-[e:FORKED_FROM]->(s)
  RETURN collect([c.threadId, s.threadId, e.proofRank, e.contextOnly, e.attached]) AS forks
}
CALL () {
  UNWIND $child_ids AS child_id
  MATCH (c:Thread {threadId: child_id})-[e:CHILD_OF]->(p)
  RETURN collect([c.threadId, p.threadId, e.proofRank]) AS parents
}
CALL () {
  UNWIND $child_ids AS child_id
  MATCH (c:Thread {threadId: child_id})-[e:HISTORY_BASE]->(b)
  RETURN collect([c.threadId, b.threadId, e.proofRank]) AS bases
}
CALL () {
  UNWIND $thread_ids AS thread_id
  MATCH (:Thread {threadId: thread_id})-[:HAS_RUN]->(r:Run)
  WITH collect(r) AS rs
  RETURN [r IN rs | r.threadId] AS owners, [c IN $run_columns | [r IN rs | r[c]]] AS runs
}
RETURN spawns, forks, parents, bases, owners, runs
