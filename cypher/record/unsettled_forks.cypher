// Forks whose point is named by a turn or a rollout, and the runs that it can be.
// reads: child_ids
// returns: forks
// A fork leaves as child, root, source, turn, point, owner of its rollout, root and point of that
// owner, the newest run of the rollout before the bound, and the runs with the turn: how far their
// thread stands above the source (null: not at all), thread and run.
UNWIND $child_ids AS child_id
MATCH (fork:Thread {threadId: child_id})-[e:FORKED_FROM]->(source)
WHERE e.pointNativeTurnId IS NOT NULL OR e.baseRolloutId IS NOT NULL
CALL (e, source) {
  MATCH (r:Run {nativeTurnId: e.pointNativeTurnId})
  CALL (r, source) {
    MATCH p = (source)-[:FORKED_FROM*0..]->(:Thread {threadId: r.threadId})
    RETURN min(length(p)) AS distance
  }
  RETURN collect([distance, r.threadId, r.runId]) AS with_turn
}
CALL (e) {
  MATCH (r:Run {rolloutId: e.baseRolloutId})
  RETURN min(r.threadId) AS owner_id
}
CALL (e) {
  MATCH (r:Run {rolloutId: e.baseRolloutId})
  WHERE r.nativeOrdinal < e.baseEndOrdinal
  WITH r ORDER BY r.nativeOrdinal DESC, r.runId DESC LIMIT 1
  RETURN collect(r.runId)[0] AS newest
}
OPTIONAL MATCH (owner:Thread {threadId: coalesce(owner_id, e.baseRolloutId)})
OPTIONAL MATCH (owner)-[owned:FORKED_FROM]->()
RETURN collect([
  fork.threadId, fork.rootThreadId, source.threadId, e.pointNativeTurnId, e.pointRunId,
  owner.threadId, owner.rootThreadId, owned.pointRunId, newest, with_turn
]) AS forks
