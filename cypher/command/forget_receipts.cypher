// Removes the oldest receipts from before a time.
// writes: before, most
// returns: forgotten
// The index of their times gives them in order, so that only what is removed is looked at.
MATCH (receipt:Receipt)
WHERE receipt.at < $before
WITH receipt
ORDER BY receipt.at
LIMIT $most
DELETE receipt
RETURN count(*) AS forgotten
