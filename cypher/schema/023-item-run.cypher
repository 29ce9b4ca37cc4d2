// A run's items in order.
// writes: none
// returns: none
CREATE INDEX item_run IF NOT EXISTS FOR (i:Item)
ON (i.runId, i.position)
