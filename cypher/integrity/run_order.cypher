// Threads whose runs are not numbered from 1, those of imports by start, turn and id.
// reads: limit
// returns: ids, stored, expected
// A command's run is numbered when it is told, whatever its start: those who tell have clocks of
// their own, and may tell late.
MATCH (thread:Thread)
WHERE coalesce(thread.runCount, 0) > 0
CALL (thread) {
  MATCH (thread)-[:HAS_RUN]->(run)
  WITH collect(run) AS runs, count(run.byCommand) > 0 AS told
  UNWIND runs AS run
  WITH run ORDER BY CASE WHEN told THEN coalesce(run.ordinal, 0) END,
    coalesce(run.startedAt, ''), coalesce(run.nativeTurnId, ''), run.runId
  RETURN collect(coalesce(run.ordinal, 0)) AS ordinals, collect(run.runId) AS run_ids
}
WITH thread, run_ids, ordinals,
  head([at IN range(0, size(ordinals) - 1) WHERE ordinals[at] <> at + 1]) AS first
WHERE first IS NOT NULL
WITH thread, run_ids, ordinals, first ORDER BY thread.threadId LIMIT $limit
RETURN [thread.threadId, run_ids[first]] AS ids, toString(ordinals[first]) AS stored,
  toString(first + 1) AS expected
