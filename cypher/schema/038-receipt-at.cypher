// Receipts by their time, so that old ones can be let go.
// writes: none
// returns: none
CREATE INDEX receipt_at IF NOT EXISTS FOR (r:Receipt) ON (r.at)
