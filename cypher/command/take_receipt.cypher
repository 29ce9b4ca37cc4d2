// Takes the receipt of a command: whoever comes with the same one waits until this is decided.
// writes: command_id
// returns: name, body_hash, code, message, made, at
// A receipt that is made here has nothing but its id yet.
MERGE (receipt:Receipt {commandId: $command_id})
RETURN receipt.name AS name, receipt.bodyHash AS body_hash, receipt.code AS code,
  receipt.message AS message, receipt.made AS made, receipt.at AS at
