// The runs of a rollout file.
// writes: none
// returns: none
CREATE INDEX run_rollout IF NOT EXISTS FOR (r:Run)
ON (r.rolloutId)
