// A page of the items that each fork brings back up to its tip, by position.
// reads: tip_run_ids, conversation, kinds, after, limit, columns
// returns: tip_run_id, columns, has_previous
// The index (threadId, position) gives the order, so that a page reads its own rows and what stands
// between them.
UNWIND $tip_run_ids AS tip_run_id
MATCH (tip:Run {runId: tip_run_id})
CALL (tip) {
  MATCH (item:Item)
  USING INDEX item:Item(threadId, position)
  WHERE item.threadId = tip.threadId AND item.position > $after AND item.text <> ''
    AND (item.kind IN $kinds OR (item.kind = 'message' AND item.role IN ['user', 'assistant']))
  MATCH (run:Run {runId: item.runId})
  WHERE run.threadId = tip.threadId AND run.ordinal <= tip.ordinal
    AND run.rolledBackAt IS NULL AND run.status IN $conversation
  WITH item ORDER BY item.threadId, item.position LIMIT $limit
  RETURN collect(properties(item)) AS items
}
RETURN tip_run_id,
  [c IN $columns | [item IN items | item[c]]] AS columns,
  $after >= 0 AND EXISTS {
    MATCH (item:Item)
    USING INDEX item:Item(threadId, position)
    WHERE item.threadId = tip.threadId AND item.position <= $after AND item.text <> ''
      AND (item.kind IN $kinds OR (item.kind = 'message' AND item.role IN ['user', 'assistant']))
    MATCH (run:Run {runId: item.runId})
    WHERE run.threadId = tip.threadId AND run.ordinal <= tip.ordinal
      AND run.rolledBackAt IS NULL AND run.status IN $conversation
  } AS has_previous
