// Puts fork edges in the place of those that the forks had.
// writes: edges
// returns: none
UNWIND $edges AS row
MATCH (c:Thread {threadId: row.child})
MATCH (o:Thread {threadId: row.origin})
CALL (c) {
  MATCH (c)-[old:FORKED_FROM]->()
  DELETE old
}
CREATE (c)-[e:FORKED_FROM]->(o)
SET e = row.properties
