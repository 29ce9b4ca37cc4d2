// What a thread said last, and what is left of its runs.
// reads: thread_id
// returns: text, last_run_id, run_count, left_count
// The newest message of the assistant counts whose run was not rolled back.
CALL () {
  MATCH (run:Run)
  USING INDEX run:Run(threadId, ordinal)
  WHERE run.threadId = $thread_id AND run.ordinal > 0
  WITH run ORDER BY run.threadId, run.ordinal
  WITH collect(run) AS runs
  RETURN size(runs) AS run_count, [r IN runs WHERE r.rolledBackAt IS NULL | r.runId] AS left
}
RETURN head(COLLECT {
  MATCH (item:Item)
  USING INDEX item:Item(threadId, position)
  WHERE item.threadId = $thread_id AND item.position >= 0
    AND item.kind = 'message' AND item.role = 'assistant' AND item.text IS NOT NULL
    AND (item.runId IS NULL OR item.runId IN left)
  RETURN item.text ORDER BY item.threadId DESC, item.position DESC LIMIT 1
}) AS text, left[-1] AS last_run_id, run_count, size(left) AS left_count
