// How many checkpoints each thread has.
// reads: thread_ids
// returns: owner_id, count
UNWIND $thread_ids AS owner_id
RETURN owner_id, COUNT {
  MATCH (:Thread {threadId: owner_id})-[:HAS_CHECKPOINT]->(:Checkpoint)
} AS count
