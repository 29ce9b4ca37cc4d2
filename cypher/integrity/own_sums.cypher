// Threads whose stored sums are not those of their own runs.
// reads: limit
// returns: ids, stored, expected
// A sum of milliseconds is of whole ones, each run's rounded down.
MATCH (thread:Thread)
WHERE thread.recorded
CALL (thread) {
  MATCH (thread)-[:HAS_RUN]->(run)
  WITH run, datetime(run.startedAt) AS start, datetime(run.completedAt) AS end
  RETURN [count(run), coalesce(sum(run.inputTokens), 0), coalesce(sum(run.cachedInputTokens), 0),
    coalesce(sum(run.outputTokens), 0), coalesce(sum(run.reasoningTokens), 0),
    coalesce(sum(toInteger(floor(((end.epochSeconds - start.epochSeconds) * 1000000
      + end.microsecond - start.microsecond) / 1000.0))), 0)] AS expected
}
WITH thread, expected, [thread.runCount, thread.inputTokens, thread.cachedInputTokens,
  thread.outputTokens, thread.reasoningTokens, thread.durationMs] AS stored
WHERE any(at IN range(0, 5) WHERE coalesce(stored[at], -1) <> expected[at])
WITH thread, expected, stored ORDER BY thread.threadId LIMIT $limit
RETURN [thread.threadId] AS ids,
  reduce(text = '', sum IN stored | text + coalesce(toString(sum), 'none') + ' ') AS stored,
  reduce(text = '', sum IN expected | text + toString(sum) + ' ') AS expected
