// Keeps what became of a command whose receipt is taken.
// writes: receipt
// returns: none
MATCH (receipt:Receipt {commandId: $receipt.commandId})
SET receipt = $receipt
