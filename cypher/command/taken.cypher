// Which ids of runs and items are there.
// reads: run_ids, item_ids
// returns: run_ids, item_ids
CALL () {
  UNWIND $run_ids AS run_id
  MATCH (run:Run {runId: run_id})
  RETURN collect(run.runId) AS run_ids
}
CALL () {
  UNWIND $item_ids AS item_id
  MATCH (item:Item {itemId: item_id})
  RETURN collect(item.itemId) AS item_ids
}
RETURN run_ids, item_ids
