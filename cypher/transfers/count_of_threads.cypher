// How many transfers each thread has.
// reads: thread_ids, into, out, statuses
// returns: owner_id, count
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  CALL (owner_id) {
    MATCH (x:Transfer)
    WHERE $into AND x.targetThreadId = owner_id AND x.status IN $statuses
    RETURN x
  UNION
    MATCH (x:Transfer)
    WHERE $out AND x.sourceThreadId = owner_id AND x.status IN $statuses
    RETURN x
  }
  RETURN count(x) AS count
}
RETURN owner_id, count
