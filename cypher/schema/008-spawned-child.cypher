// A thread has at most one spawner.
// writes: none
// returns: none
CREATE CONSTRAINT spawned_child IF NOT EXISTS FOR ()-[e:SPAWNED_BY]-()
REQUIRE e.childThreadId IS UNIQUE
