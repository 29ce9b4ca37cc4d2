// The runs that name a turn as their parent.
// writes: none
// returns: none
CREATE INDEX run_parent_turn IF NOT EXISTS FOR (r:Run)
ON (r.parentNativeTurnId)
