// Whether any thread was ever recorded.
// reads: none
// returns: any_recorded
RETURN EXISTS { MATCH (thread:Thread) WHERE thread.recorded } AS any_recorded
