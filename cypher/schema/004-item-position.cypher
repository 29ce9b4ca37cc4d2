// A thread has one item at a position.
// writes: none
// returns: none
// Also the index that a page of items is read by.
CREATE CONSTRAINT item_position IF NOT EXISTS FOR (i:Item)
REQUIRE (i.threadId, i.position) IS UNIQUE
