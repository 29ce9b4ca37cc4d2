// The threads of a folder.
// writes: none
// returns: none
CREATE INDEX thread_cwd IF NOT EXISTS FOR (t:Thread)
ON (t.cwd)
