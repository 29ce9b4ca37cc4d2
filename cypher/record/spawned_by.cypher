// Puts spawn edges in the place of those that their children had.
// writes: edges
// returns: none
UNWIND $edges AS row
MATCH (c:Thread {threadId: row.child})
MATCH (o:Thread {threadId: row.origin})
CALL (c) {
  MATCH (c)-[old:SPAWNED_BY]->()
  DELETE old
}
CREATE (c)-[e:SPAWNED_BY]->(o)
SET e = row.properties
