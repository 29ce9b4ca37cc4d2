// A page of each thread's items, by position.
// reads: thread_ids, after, limit, columns
// returns: owner_id, columns, has_previous
// Each page is a seek in the index (threadId, position), which also gives the order.
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH (item:Item)
  WHERE item.threadId = owner_id AND item.position > $after
  WITH item ORDER BY item.threadId, item.position LIMIT $limit
  RETURN collect(item) AS items
}
RETURN owner_id,
  [c IN $columns | [item IN items | item[c]]] AS columns,
  EXISTS {
    MATCH (item:Item)
    WHERE item.threadId = owner_id AND item.position <= $after
  } AS has_previous
