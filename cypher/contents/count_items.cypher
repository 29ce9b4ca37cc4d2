// How many items each thread has.
// reads: thread_ids
// returns: owner_id, count
UNWIND $thread_ids AS owner_id
RETURN owner_id, COUNT {
  MATCH (item:Item)
  WHERE item.threadId = owner_id AND item.position IS NOT NULL
} AS count
