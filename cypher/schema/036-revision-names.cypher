// The name of what tells the revisions of a tree apart.
// writes: none
// returns: none
// The server remarks on every name that it has not seen yet, so an empty graph knows it.
CALL db.createProperty('revisionId')
FINISH
