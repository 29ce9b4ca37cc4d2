// Drops the items of threads that others come in the place of.
// writes: drops
// returns: none
// Items at the positions from first to last go, and those with one of the ids wherever they stand:
// an item that moved would otherwise be there twice.
UNWIND $drops AS row
CALL (row) {
  MATCH (i:Item {threadId: row.threadId})
  WHERE i.position >= row.first AND i.position <= row.last
  RETURN i
  UNION
  WITH row
  UNWIND row.itemIds AS item_id
  MATCH (i:Item {itemId: item_id})
  WHERE i.threadId = row.threadId
  RETURN i
}
WITH row, collect(i) AS dropped
MATCH (t:Thread {threadId: row.threadId})
SET t.itemCount = coalesce(t.itemCount, 0) - size(dropped)
FOREACH (i IN dropped | DELETE i)
