// The threads that hang on several others.
// writes: none
// returns: none
// Few have the property, and only those are in the index.
CREATE INDEX thread_several_origins IF NOT EXISTS FOR (t:Thread)
ON (t.severalOrigins)
