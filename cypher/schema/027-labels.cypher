// The labels that statements name.
// writes: none
// returns: none
// The server remarks on every name that it has not seen yet, so an empty graph knows them all.
UNWIND [
  'Thread', 'Run', 'Item', 'ContextWindow', 'ProviderThread', 'Checkpoint'
] AS name
CALL db.createLabel(name)
FINISH
