// The threads whose history each thread may inherit, itself first, and where each was cut.
// reads: thread_ids
// returns: owner_id, links
// A link is a thread's id and, of the fork edge above it, the time, the source's revision, the id
// of the run kept through, the point and the run kept through: thread, ordinal, time and revision
// of rollback of each.
// The walk ends at a fork that took the context only, and on cycles.
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH path = (:Thread {threadId: owner_id})-[forks:FORKED_FROM*0..]->(thread)
  WHERE all(fork IN forks WHERE NOT coalesce(fork.contextOnly, false))
  WITH thread, min(length(path)) AS distance
  OPTIONAL MATCH (thread)-[fork:FORKED_FROM]->()
  OPTIONAL MATCH (point:Run {runId: fork.pointRunId})
  OPTIONAL MATCH (kept:Run {runId: fork.keptThroughRunId})
  WITH thread, distance, fork, point, kept ORDER BY distance
  RETURN collect([thread.threadId, fork.at, fork.sourceRevision, fork.keptThroughRunId,
    [point.threadId, point.ordinal, point.rolledBackAt, point.rolledBackRevision],
    [kept.threadId, kept.ordinal, kept.rolledBackAt, kept.rolledBackRevision]]) AS links
}
RETURN owner_id, links
