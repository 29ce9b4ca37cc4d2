// The runs that name a turn as their root.
// writes: none
// returns: none
CREATE INDEX run_root_turn IF NOT EXISTS FOR (r:Run)
ON (r.rootNativeTurnId)
