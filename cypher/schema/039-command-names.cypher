// The names that only commands write.
// writes: none
// returns: none
// The server remarks on every name that it has not seen yet, so an empty graph knows them all.
CALL () {
  UNWIND ['Receipt', 'Checkpoint'] AS name
  CALL db.createLabel(name)
}
CALL () {
  UNWIND [
    'bodyHash', 'byCommand', 'checkpointId', 'code', 'commandId', 'confirmedAt', 'continuationKey', 'files',
    'made', 'message', 'nativeRefDriver', 'nativeRefId', 'nativeRefOrdinal', 'nativeRefStrength',
    'nativeThreadOrdinal', 'nativeThreadStrength', 'nativeTurnOrdinal', 'nativeTurnStrength',
    'parentCheckpointId', 'pointCheckpointId', 'rolledBackRevision', 'sourceRevision',
    'startCommandId', 'transferId'
  ] AS name
  CALL db.createProperty(name)
}
FINISH
