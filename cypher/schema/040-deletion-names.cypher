// The name that only deleting by command writes.
// writes: none
// returns: none
// The server remarks on every name that it has not seen yet, so an empty graph knows them all.
CALL () {
  CALL db.createProperty('deletedBy')
}
FINISH
