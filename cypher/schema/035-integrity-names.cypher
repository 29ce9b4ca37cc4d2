// The names that only the check of the graph's integrity uses.
// writes: none
// returns: none
CALL () {
  CALL db.createLabel('Transfer')
}
CALL () {
  UNWIND ['TRANSFERS_FROM', 'TRANSFERS_TO'] AS name
  CALL db.createRelationshipType(name)
}
CALL () {
  UNWIND ['confirmedAt', 'consumedAt', 'sourceThreadId', 'targetThreadId'] AS name
  CALL db.createProperty(name)
}
FINISH
