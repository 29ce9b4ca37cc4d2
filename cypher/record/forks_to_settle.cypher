// The forks whose point is named by one of the turns or rollouts.
// reads: turn_ids, rollout_ids
// returns: child_ids
CALL () {
  UNWIND $turn_ids AS turn_id
  MATCH (fork)-[:FORKED_FROM {pointNativeTurnId: turn_id}]->()
  RETURN fork
  UNION
  UNWIND $rollout_ids AS rollout_id
  MATCH (fork)-[:FORKED_FROM {baseRolloutId: rollout_id}]->()
  RETURN fork
}
RETURN collect(fork.threadId) AS child_ids
