// Where what each fork did since its fork point begins and ends, and the runs of it.
// reads: forks, active, conversation, columns
// returns: fork_id, asked_run_id, source_id, point_run_id, point_thread_id, tip_run_id, columns
// Each of the forks has a thread_id, and a run_id or null. A fork without a known point or without
// a tip has no row. The tip is the run that is asked for or the newest stable one.
UNWIND $forks AS asked
MATCH (fork:Thread {threadId: asked.thread_id})-[edge:FORKED_FROM]->(source)
WHERE fork.relationshipToParent = 'FORK' AND edge.pointRunId IS NOT NULL
OPTIONAL MATCH (point:Run {runId: edge.pointRunId})
WITH asked, fork, source, edge.pointRunId AS point_run_id, point.threadId AS point_thread_id,
  NOT EXISTS {
    MATCH (run:Run)
    USING INDEX run:Run(threadId, ordinal)
    WHERE run.threadId = asked.thread_id AND run.ordinal > 0 AND run.rolledBackAt IS NULL
      AND run.status IN $active
  } AS idle
CALL (asked, fork, idle) {
  MATCH (run:Run)
  USING INDEX run:Run(threadId, ordinal)
  WHERE run.threadId = asked.thread_id AND run.ordinal > 0 AND run.rolledBackAt IS NULL
    AND CASE
      WHEN asked.run_id IS NOT NULL
      THEN run.runId = asked.run_id AND run.status IN ['completed', 'waiting']
      WHEN run.status <> 'completed' THEN false
      WHEN idle AND run.nativeTurnId IS NOT NULL
        AND coalesce(run.nativeTurnStrength, 'STRONG') = 'STRONG' THEN true
      ELSE EXISTS {
        MATCH (fork)-[:HAS_CHECKPOINT]->(checkpoint)
        WHERE checkpoint.runId = run.runId AND checkpoint.status = 'ready'
      }
    END
  RETURN run AS tip ORDER BY run.threadId DESC, run.ordinal DESC LIMIT 1
}
CALL (asked, tip) {
  MATCH (run:Run)
  USING INDEX run:Run(threadId, ordinal)
  WHERE run.threadId = asked.thread_id AND run.ordinal > 0 AND run.ordinal <= tip.ordinal
    AND run.rolledBackAt IS NULL AND run.status IN $conversation
  WITH run ORDER BY run.threadId, run.ordinal
  RETURN collect(run) AS runs
}
RETURN asked.thread_id AS fork_id, asked.run_id AS asked_run_id, source.threadId AS source_id,
  point_run_id, point_thread_id, tip.runId AS tip_run_id,
  [c IN $columns | [run IN runs | run[c]]] AS columns
