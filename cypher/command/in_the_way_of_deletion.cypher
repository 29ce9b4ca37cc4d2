// What keeps threads from being deleted together: who goes on from them, and starts under way.
// reads: thread_ids
// returns: referring_ids, unconfirmed_run_ids
// A thread outside goes on from one inside by its history base, or stays attached to it.
CALL () {
  UNWIND $thread_ids AS thread_id
  MATCH (inside:Thread {threadId: thread_id})<-[edge:HISTORY_BASE|FORKED_FROM]-(outside)
  WHERE (type(edge) = 'HISTORY_BASE' OR edge.attached)
    AND outside.deletedAt IS NULL AND NOT outside.threadId IN $thread_ids
  WITH DISTINCT outside.threadId AS id ORDER BY id
  RETURN collect(id) AS referring_ids
}
CALL () {
  UNWIND $thread_ids AS thread_id
  MATCH (run:Run)
  USING INDEX run:Run(threadId, ordinal)
  WHERE run.threadId = thread_id AND run.ordinal > 0 AND run.rolledBackAt IS NULL
    AND run.status = 'starting' AND run.startCommandId IS NOT NULL AND run.confirmedAt IS NULL
  WITH run.runId AS id ORDER BY id
  RETURN collect(id) AS unconfirmed_run_ids
}
RETURN referring_ids, unconfirmed_run_ids
