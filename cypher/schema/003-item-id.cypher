// An item id names one item.
// writes: none
// returns: none
CREATE CONSTRAINT item_id IF NOT EXISTS FOR (i:Item)
REQUIRE i.itemId IS UNIQUE
