// The threads of a repository.
// writes: none
// returns: none
CREATE INDEX thread_repository IF NOT EXISTS FOR (t:Thread)
ON (t.gitRepository)
