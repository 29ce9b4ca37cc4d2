// The forks that stand below others over any number of forks, and the rollouts of those others.
// reads: fork_ids
// returns: child_ids, rollout_ids
CALL () {
  UNWIND $fork_ids AS fork_id
  MATCH (:Thread {threadId: fork_id})<-[:FORKED_FROM*1..]-(fork)
  RETURN collect(DISTINCT fork.threadId) AS child_ids
}
CALL () {
  UNWIND $fork_ids AS fork_id
  MATCH (:Thread {threadId: fork_id})-[:HAS_RUN]->(r:Run)
  RETURN collect(DISTINCT r.rolloutId) AS rollout_ids
}
RETURN child_ids, rollout_ids
