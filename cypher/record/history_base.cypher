// Puts history bases in the place of those that the threads had.
// writes: edges
// returns: none
UNWIND $edges AS row
MATCH (c:Thread {threadId: row.child})
MATCH (o:Thread {threadId: row.origin})
CALL (c) {
  MATCH (c)-[old:HISTORY_BASE]->()
  DELETE old
}
CREATE (c)-[e:HISTORY_BASE]->(o)
SET e = row.properties
