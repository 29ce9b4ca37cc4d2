// A handoff id names one handoff.
// writes: none
// returns: none
CREATE CONSTRAINT handoff_id IF NOT EXISTS FOR (h:Handoff)
REQUIRE h.handoffId IS UNIQUE
