// How many items each run has.
// reads: run_ids
// returns: owner_id, count
UNWIND $run_ids AS owner_id
RETURN owner_id, COUNT {
  MATCH (item:Item)
  WHERE item.runId = owner_id AND item.position IS NOT NULL
} AS count
