// The names that only transfers have.
// writes: none
// returns: none
// The server remarks on every name that it has not seen yet, so an empty graph knows them all.
CALL () {
  UNWIND ['Transfer', 'Handoff'] AS name
  CALL db.createLabel(name)
}
CALL () {
  UNWIND [
    'TRANSFERS_FROM', 'TRANSFERS_TO', 'SOURCE_POINT', 'BASE_POINT', 'CONSUMED_BY', 'RESOLVED_BY'
  ] AS name
  CALL db.createRelationshipType(name)
}
CALL () {
  UNWIND [
    'basePoint', 'consumedAt', 'handoffId', 'hasTransfers', 'itemIds', 'nativeThreadRefDriver',
    'nativeThreadRefId', 'nativeThreadRefOrdinal', 'nativeThreadRefStrength', 'omittedItemIds',
    'outcome', 'payload', 'recordDigest', 'replaces', 'resultText', 'sourcePoint',
    'sourceProviderContinuationKey', 'sourceProviderDriver', 'sourceProviderInstanceId',
    'sourceRunId', 'sourceThreadId', 'steps', 'strategy', 'targetProviderContinuationKey',
    'targetProviderDriver', 'targetProviderInstanceId', 'targetRunId', 'targetThreadId', 'task',
    'tokens', 'type'
  ] AS name
  CALL db.createProperty(name)
}
FINISH
