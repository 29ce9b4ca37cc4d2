// A page of the items that each fork brings back up to its tip, in order.
// reads: tip_run_ids, conversation, kinds, after, after_position, after_number, itself, limit,
//   columns
// returns: tip_run_id, positions, numbers, columns, has_previous
// The index (threadId, position) gives the order of the fork's own items, behind after; a page
// reads its own rows of them and what stands between. What was delivered to the fork stands before
// the first item of the run that received it, by number, of which an own item has the last one.
// What is delivered is told as in merge_back/sums.
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
  WITH run, x, handoff, coalesce(head(COLLECT {
    MATCH (first:Item)
    USING INDEX first:Item(runId, position)
    WHERE first.runId = run.runId AND first.position >= 0 AND first.threadId = run.threadId
    RETURN first.position ORDER BY first.runId, first.position LIMIT 1
  }), $itself) AS position
  UNWIND range(0, size(handoff.itemIds) - 1) AS at
  WITH handoff.itemIds[at] AS item_id,
    min([position, run.ordinal, x.createdAt, x.transferId, at]) AS place
  ORDER BY place
  RETURN collect([item_id, place[0]]) AS told
}
WITH tip_run_id, tip, delivered, [
  n IN range(0, size(told) - 1) WHERE NOT told[n][0] IN delivered | [told[n][0], told[n][1], n]
] AS received
CALL (tip, delivered, received) {
  CALL (tip, delivered, received) {
    MATCH (item:Item)
    USING INDEX item:Item(threadId, position)
    WHERE item.threadId = tip.threadId AND item.position > $after AND item.text <> ''
      AND (item.kind IN $kinds OR (item.kind = 'message' AND item.role IN ['user', 'assistant']))
      AND NOT item.itemId IN delivered
    MATCH (run:Run {runId: item.runId})
    WHERE run.threadId = tip.threadId AND run.ordinal <= tip.ordinal
      AND run.rolledBackAt IS NULL AND run.status IN $conversation
    WITH item ORDER BY item.threadId, item.position LIMIT $limit
    RETURN item, item.position AS position, $itself AS number
    UNION ALL
    UNWIND received AS one
    WITH tip, one
    WHERE one[1] > $after_position OR (one[1] = $after_position AND one[2] > $after_number)
    MATCH (item:Item {itemId: one[0]})
    WHERE item.threadId <> tip.threadId
    WITH item, one ORDER BY one[1], one[2] LIMIT $limit
    RETURN item, one[1] AS position, one[2] AS number
  }
  WITH item, position, number ORDER BY position, number LIMIT $limit
  RETURN collect(item) AS items, collect(position) AS positions, collect(number) AS numbers
}
RETURN tip_run_id, positions, numbers,
  [c IN $columns | [item IN items | item[c]]] AS columns,
  $after_position >= 0 AND (EXISTS {
    MATCH (item:Item)
    USING INDEX item:Item(threadId, position)
    WHERE item.threadId = tip.threadId AND item.position <= $after AND item.text <> ''
      AND (item.kind IN $kinds OR (item.kind = 'message' AND item.role IN ['user', 'assistant']))
      AND NOT item.itemId IN delivered
    MATCH (run:Run {runId: item.runId})
    WHERE run.threadId = tip.threadId AND run.ordinal <= tip.ordinal
      AND run.rolledBackAt IS NULL AND run.status IN $conversation
  } OR EXISTS {
    UNWIND received AS one
    WITH one
    WHERE one[1] < $after_position OR (one[1] = $after_position AND one[2] <= $after_number)
    MATCH (item:Item {itemId: one[0]})
    WHERE item.threadId <> tip.threadId
  }) AS has_previous
