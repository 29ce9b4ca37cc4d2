// Runs that do not hang on the thread that they name, or on several.
// reads: limit
// returns: ids, stored, expected
MATCH (run:Run)
OPTIONAL MATCH (run)<-[:HAS_RUN]-(owner)
WITH run, collect(owner.threadId) AS owners
WHERE run.threadId IS NULL OR owners <> [run.threadId]
WITH coalesce(run.runId, elementId(run)) AS run_id, run.threadId AS thread_id, owners
ORDER BY run_id LIMIT $limit
RETURN [run_id] + owners AS ids, toString(size(owners)) AS stored,
  coalesce(thread_id, 'none') AS expected
