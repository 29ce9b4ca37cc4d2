// How many spawn edges each thread has.
// reads: thread_ids, status
// returns: owner_id, count
UNWIND $thread_ids AS owner_id
RETURN owner_id, COUNT {
  MATCH (:Thread {threadId: owner_id})<-[spawn:SPAWNED_BY]-()
  WHERE $status IS NULL OR spawn.status = $status
} AS count
