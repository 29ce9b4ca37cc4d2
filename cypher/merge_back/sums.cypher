// How many items each fork brings back up to its tip, and what its changes of files say.
// reads: tip_run_ids, conversation, kinds
// returns: tip_run_id, item_count, already_delivered, changes
// What consumed merge-backs of the same two threads carried is delivered, unless the run that
// consumed it was rolled back. What was delivered to the fork's own runs comes along.
UNWIND $tip_run_ids AS tip_run_id
MATCH (tip:Run {runId: tip_run_id})
CALL (tip) {
  MATCH (fork:Thread {threadId: tip.threadId})-[:FORKED_FROM]->(source)
  MATCH (x:Transfer)
  USING INDEX x:Transfer(sourceThreadId)
  WHERE x.sourceThreadId = tip.threadId AND x.targetThreadId = source.threadId
    AND x.type = 'MERGE_BACK' AND x.status = 'CONSUMED'
    AND NOT EXISTS {
      MATCH (run:Run {runId: x.targetRunId})
      WHERE run.rolledBackAt IS NOT NULL
    }
  MATCH (handoff:Handoff {handoffId: x.handoffId})
  UNWIND handoff.itemIds AS item_id
  RETURN collect(DISTINCT item_id) AS delivered
}
CALL (tip) {
  MATCH (x:Transfer)
  USING INDEX x:Transfer(targetThreadId, status)
  WHERE x.targetThreadId = tip.threadId AND x.status = 'CONSUMED' AND x.type = 'MERGE_BACK'
  MATCH (run:Run {runId: x.targetRunId})
  WHERE run.threadId = tip.threadId AND run.ordinal <= tip.ordinal
    AND run.rolledBackAt IS NULL AND run.status IN $conversation
  MATCH (handoff:Handoff {handoffId: x.handoffId})
  UNWIND handoff.itemIds AS item_id
  RETURN collect(DISTINCT item_id) AS received
}
CALL (tip, delivered) {
  MATCH (run:Run)
  USING INDEX run:Run(threadId, ordinal)
  WHERE run.threadId = tip.threadId AND run.ordinal > 0 AND run.ordinal <= tip.ordinal
    AND run.rolledBackAt IS NULL AND run.status IN $conversation
  MATCH (item:Item)
  USING INDEX item:Item(runId, position)
  WHERE item.runId = run.runId AND item.position >= 0 AND item.threadId = tip.threadId
    AND item.text <> ''
    AND (item.kind IN $kinds OR (item.kind = 'message' AND item.role IN ['user', 'assistant']))
  WITH item, item.itemId IN delivered AS is_delivered
  RETURN count(CASE WHEN is_delivered THEN null ELSE item END) AS own_count,
    count(CASE WHEN is_delivered THEN item END) AS own_delivered,
    collect(CASE WHEN item.kind = 'file_change' AND NOT is_delivered THEN item.text END) AS own
}
CALL (tip, delivered, received) {
  UNWIND received AS item_id
  MATCH (item:Item {itemId: item_id})
  WHERE item.threadId <> tip.threadId
  WITH item, item.itemId IN delivered AS is_delivered
  RETURN count(CASE WHEN is_delivered THEN null ELSE item END) AS other_count,
    count(CASE WHEN is_delivered THEN item END) AS other_delivered,
    collect(CASE WHEN item.kind = 'file_change' AND NOT is_delivered THEN item.text END) AS others
}
RETURN tip_run_id, own_count + other_count AS item_count,
  own_delivered + other_delivered AS already_delivered, own + others AS changes
