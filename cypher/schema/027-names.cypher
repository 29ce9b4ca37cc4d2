// The names of labels, relationship types and properties that statements use.
// writes: none
// returns: none
// The server remarks on every name that it has not seen yet, so an empty graph knows them all.
CALL () {
  UNWIND [
    'Thread', 'Run', 'Item', 'ContextWindow', 'ProviderThread', 'Checkpoint'
  ] AS name
  CALL db.createLabel(name)
}
CALL () {
  UNWIND [
    'SPAWNED_BY', 'FORKED_FROM', 'CHILD_OF', 'HISTORY_BASE', 'HAS_RUN', 'HAS_WINDOW',
    'HAS_CHECKPOINT', 'BACKED_BY'
  ] AS name
  CALL db.createRelationshipType(name)
}
CALL () {
  UNWIND [
    'agentNickname', 'agentParentThreadId', 'agentPath', 'agentRole', 'archived', 'archivedAt',
    'at', 'attached', 'attachedToThreadId', 'baseEndOrdinal', 'baseRolloutId',
    'cachedInputTokens', 'callId', 'checkpointId', 'childThreadId', 'cliVersion', 'completedAt',
    'contextOnly', 'createdAt', 'createdBy', 'cwd', 'deleted', 'deletedAt', 'depth', 'driver',
    'durationMs', 'endOrdinal', 'endedAt', 'ephemeral', 'error', 'evidence', 'files',
    'firstWindowId', 'gitBranch', 'gitCommit', 'gitRepository', 'historyMode', 'importDigest',
    'inputTokens', 'itemCount', 'itemId', 'keptThroughRunId', 'kind', 'memoryMode', 'model',
    'multiAgentVersion', 'name', 'nativeItemId', 'nativeOrdinal', 'nativeThreadId',
    'nativeTurnId', 'number', 'ordinal', 'origin', 'originator', 'outputTokens',
    'parentCheckpointId', 'parentNativeTurnId', 'parentRunId', 'parentThreadId',
    'placeholderSessionId', 'pointNativeTurnId', 'pointRunId', 'position', 'preview',
    'previousWindowId', 'proofRank', 'providerInstanceId', 'providerThreadKey', 'reasoningTokens',
    'recencyAt', 'recorded', 'relationshipToParent', 'revision', 'role', 'rolledBack',
    'rolledBackAt', 'rolloutId', 'rootNativeTurnId', 'rootRunId', 'rootThreadId', 'runCount',
    'runId', 'searchText', 'selectedCapabilityRoots', 'sessionId', 'settledItems', 'source',
    'sourceFile', 'sourceKind', 'spawnCalls', 'startedAt', 'statedAt', 'statedCallId',
    'statedRunId', 'statedSessionId', 'status', 'taken', 'text', 'textBytes', 'threadId',
    'threadSource', 'title', 'transferId', 'trigger', 'truncated', 'unlisted', 'updatedAt',
    'windowId', 'windowKey'
  ] AS name
  CALL db.createProperty(name)
}
FINISH
