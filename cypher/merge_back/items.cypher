// A page of the items that each fork brings back up to its tip, by position.
// reads: tip_run_ids, conversation, kinds, after, limit, columns
// returns: tip_run_id, columns, has_previous
// The index (threadId, position) gives the order, so that a page reads its own rows and what stands
// between them. What is delivered is told as in merge_back/sums.
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
CALL (tip, delivered) {
  MATCH (item:Item)
  USING INDEX item:Item(threadId, position)
  WHERE item.threadId = tip.threadId AND item.position > $after AND item.text <> ''
    AND (item.kind IN $kinds OR (item.kind = 'message' AND item.role IN ['user', 'assistant']))
    AND NOT item.itemId IN delivered
  MATCH (run:Run {runId: item.runId})
  WHERE run.threadId = tip.threadId AND run.ordinal <= tip.ordinal
    AND run.rolledBackAt IS NULL AND run.status IN $conversation
  WITH item ORDER BY item.threadId, item.position LIMIT $limit
  RETURN collect(item) AS items
}
RETURN tip_run_id,
  [c IN $columns | [item IN items | item[c]]] AS columns,
  $after >= 0 AND EXISTS {
    MATCH (item:Item)
    USING INDEX item:Item(threadId, position)
    WHERE item.threadId = tip.threadId AND item.position <= $after AND item.text <> ''
      AND (item.kind IN $kinds OR (item.kind = 'message' AND item.role IN ['user', 'assistant']))
      AND NOT item.itemId IN delivered
    MATCH (run:Run {runId: item.runId})
    WHERE run.threadId = tip.threadId AND run.ordinal <= tip.ordinal
      AND run.rolledBackAt IS NULL AND run.status IN $conversation
  } AS has_previous
