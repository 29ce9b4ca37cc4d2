// A thread id names one thread.
// writes: none
// returns: none
CREATE CONSTRAINT thread_id IF NOT EXISTS FOR (t:Thread)
REQUIRE t.threadId IS UNIQUE
