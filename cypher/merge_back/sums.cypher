// How many items each fork brings back up to its tip, and what its changes of files say.
// reads: tip_run_ids, conversation, kinds
// returns: tip_run_id, item_count, changes
UNWIND $tip_run_ids AS tip_run_id
MATCH (tip:Run {runId: tip_run_id})
CALL (tip) {
  MATCH (run:Run)
  USING INDEX run:Run(threadId, ordinal)
  WHERE run.threadId = tip.threadId AND run.ordinal > 0 AND run.ordinal <= tip.ordinal
    AND run.rolledBackAt IS NULL AND run.status IN $conversation
  MATCH (item:Item)
  USING INDEX item:Item(runId, position)
  WHERE item.runId = run.runId AND item.position >= 0 AND item.threadId = tip.threadId
    AND item.text <> ''
    AND (item.kind IN $kinds OR (item.kind = 'message' AND item.role IN ['user', 'assistant']))
  RETURN count(item) AS item_count,
    collect(CASE item.kind WHEN 'file_change' THEN item.text END) AS changes
}
RETURN tip_run_id, item_count, changes
