// The relationship types that statements name.
// writes: none
// returns: none
// The server remarks on every name that it has not seen yet, so an empty graph knows them all.
UNWIND [
  'SPAWNED_BY', 'FORKED_FROM', 'CHILD_OF', 'HISTORY_BASE', 'HAS_RUN', 'HAS_WINDOW',
  'HAS_CHECKPOINT', 'BACKED_BY'
] AS name
CALL db.createRelationshipType(name)
FINISH
