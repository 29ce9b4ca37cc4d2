// The threads of a session.
// writes: none
// returns: none
CREATE INDEX thread_session IF NOT EXISTS FOR (t:Thread)
ON (t.sessionId)
