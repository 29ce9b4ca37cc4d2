// A number names one of the locks on turns.
// writes: none
// returns: none
CREATE CONSTRAINT turn_lock_number IF NOT EXISTS FOR (t:TurnLock)
REQUIRE t.number IS UNIQUE
