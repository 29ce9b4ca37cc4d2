// Writes items that are not there yet.
// writes: items
// returns: none
// An item stays with the thread that had it first: an item id never moves.
UNWIND $items AS row
MERGE (i:Item {itemId: row.itemId})
WITH i, row
WHERE i.threadId IS NULL
SET i = row
