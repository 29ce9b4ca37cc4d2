// Puts edges to a parent in the place of those that reviews, guardians and jobs had.
// writes: edges
// returns: none
UNWIND $edges AS row
MATCH (c:Thread {threadId: row.child})
MATCH (o:Thread {threadId: row.origin})
CALL (c) {
  MATCH (c)-[old:CHILD_OF]->()
  DELETE old
}
CREATE (c)-[e:CHILD_OF]->(o)
SET e = row.properties
