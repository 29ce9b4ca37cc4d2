// The forks whose point is named by a turn or a rollout, and the runs that it can be.
// reads: child_ids, turn_ids, rollout_ids, moved_ids, owner_ids
// returns: forks
// Looked at are the forks among the children, those that name one of the turns or rollouts, those
// that hang on a moved thread over any number of forks, and those whose rollout belongs to one of
// the owners. A fork leaves as child, root, source, turn, point, owner of its rollout, root and
// point of that owner, the newest run of the rollout before the bound, and the runs with the turn:
// how far their thread stands above the source (null: not at all), thread and run.
CALL () {
  UNWIND $child_ids AS child_id
  MATCH (:Thread {threadId: child_id})-[e:FORKED_FROM]->()
  RETURN e
  UNION
  UNWIND $turn_ids AS turn_id
  MATCH ()-[e:FORKED_FROM {pointNativeTurnId: turn_id}]->()
  RETURN e
  UNION
  UNWIND $rollout_ids AS rollout_id
  MATCH ()-[e:FORKED_FROM {baseRolloutId: rollout_id}]->()
  RETURN e
  UNION
  UNWIND $moved_ids AS moved_id
  MATCH (:Thread {threadId: moved_id})<-[es:FORKED_FROM*1..]-(fork:Thread)
  WITH DISTINCT fork
  MATCH (fork)-[e:FORKED_FROM]->()
  RETURN e
  UNION
  UNWIND $owner_ids AS owner_id
  MATCH (:Thread {threadId: owner_id})-[:HAS_RUN]->(r:Run)
  WITH DISTINCT r.rolloutId AS rollout_id
  MATCH ()-[e:FORKED_FROM {baseRolloutId: rollout_id}]->()
  RETURN e
}
WITH e, startNode(e) AS fork, endNode(e) AS source
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
