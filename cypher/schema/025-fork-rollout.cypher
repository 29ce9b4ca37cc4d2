// The forks whose point is named by a rollout file.
// writes: none
// returns: none
CREATE INDEX fork_rollout IF NOT EXISTS FOR ()-[e:FORKED_FROM]-()
ON (e.baseRolloutId)
