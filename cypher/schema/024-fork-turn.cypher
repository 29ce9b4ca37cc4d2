// The forks whose point is named by a turn.
// writes: none
// returns: none
CREATE INDEX fork_turn IF NOT EXISTS FOR ()-[e:FORKED_FROM]-()
ON (e.pointNativeTurnId)
