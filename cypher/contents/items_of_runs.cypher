// A page of each run's items, by position.
// reads: run_ids, after, limit, columns
// returns: owner_id, columns, has_previous
// Each page is a seek in the index (runId, position), which also gives the order. A run's items
// are those of its thread; should others name it, the order is still one.
UNWIND $run_ids AS owner_id
CALL (owner_id) {
  MATCH (item:Item)
  WHERE item.runId = owner_id AND item.position > $after
  WITH item ORDER BY item.runId, item.position, item.threadId LIMIT $limit
  RETURN collect(item) AS items
}
RETURN owner_id,
  [c IN $columns | [item IN items | item[c]]] AS columns,
  EXISTS {
    MATCH (item:Item)
    WHERE item.runId = owner_id AND item.position <= $after
  } AS has_previous
