// The runs of a rollout file in order.
// writes: none
// returns: none
CREATE INDEX run_rollout IF NOT EXISTS FOR (r:Run)
ON (r.rolloutId, r.nativeOrdinal)
