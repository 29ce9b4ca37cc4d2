// The runs with a tool's own turn id.
// writes: none
// returns: none
CREATE INDEX run_turn IF NOT EXISTS FOR (r:Run)
ON (r.nativeTurnId)
