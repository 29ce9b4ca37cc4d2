// Answers if the database does.
// reads: none
// returns: answer
RETURN 1 AS answer
