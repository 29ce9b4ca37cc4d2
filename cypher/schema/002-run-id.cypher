// A run id names one run.
// writes: none
// returns: none
CREATE CONSTRAINT run_id IF NOT EXISTS FOR (r:Run)
REQUIRE r.runId IS UNIQUE
