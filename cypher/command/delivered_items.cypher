// The items that merge-backs delivered to runs, in the order in which each run was told them.
// reads: run_ids, columns
// returns: run_ids, columns
// The first column is the run that each item was delivered to. An item that is no longer there is
// left out.
CALL () {
  UNWIND $run_ids AS run_id
  MATCH (:Run {runId: run_id})<-[:CONSUMED_BY]-(x:Transfer)
  WHERE x.type = 'MERGE_BACK' AND x.status = 'CONSUMED'
  MATCH (handoff:Handoff {handoffId: x.handoffId})
  UNWIND range(0, size(handoff.itemIds) - 1) AS place
  MATCH (item:Item {itemId: handoff.itemIds[place]})
  WITH run_id, item, x, place ORDER BY run_id, x.createdAt, x.transferId, place
  RETURN collect(run_id) AS run_ids, collect(item) AS items
}
RETURN run_ids, [c IN $columns | [item IN items | item[c]]] AS columns
