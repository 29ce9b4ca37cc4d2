// A thread's runs in order.
// writes: none
// returns: none
// Not a constraint: runs could not be numbered anew in one transaction.
CREATE INDEX run_ordinal IF NOT EXISTS FOR (r:Run)
ON (r.threadId, r.ordinal)
