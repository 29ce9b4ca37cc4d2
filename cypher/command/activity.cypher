// What goes on in a thread: the runs under way, the newest stable one, and an unconfirmed start.
// reads: thread_id, active
// returns: active_run_ids, stable_run_id, unconfirmed_run_id
// A completed run is stable with a ready checkpoint, or with a strong turn while nothing runs;
// the turns of imports state no strength and count by their id.
CALL () {
  MATCH (run:Run)
  USING INDEX run:Run(threadId, ordinal)
  WHERE run.threadId = $thread_id AND run.ordinal > 0 AND run.rolledBackAt IS NULL
    AND run.status IN $active
  WITH run ORDER BY run.threadId, run.ordinal
  RETURN collect(run.runId) AS active_run_ids,
    head([r IN collect(run)
      WHERE r.startCommandId IS NOT NULL AND r.confirmedAt IS NULL | r.runId]
    ) AS unconfirmed_run_id
}
RETURN active_run_ids, head(COLLECT {
  MATCH (run:Run)
  USING INDEX run:Run(threadId, ordinal)
  WHERE run.threadId = $thread_id AND run.ordinal > 0 AND run.rolledBackAt IS NULL
    AND run.status = 'completed'
    AND CASE
      WHEN size(active_run_ids) = 0 AND run.nativeTurnId IS NOT NULL
        AND coalesce(run.nativeTurnStrength, 'STRONG') = 'STRONG' THEN true
      ELSE EXISTS {
        MATCH (:Thread {threadId: $thread_id})-[:HAS_CHECKPOINT]->(checkpoint)
        WHERE checkpoint.runId = run.runId AND checkpoint.status = 'ready'
      }
    END
  RETURN run.runId ORDER BY run.threadId DESC, run.ordinal DESC LIMIT 1
}) AS stable_run_id, unconfirmed_run_id
