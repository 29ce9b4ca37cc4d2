// Answers when every index is ready to be used.
// reads: none
// returns: none
CALL db.awaitIndexes(3600)
