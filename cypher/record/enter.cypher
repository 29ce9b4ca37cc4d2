// Makes every thread that a batch names, and tells which were there and in which trees.
// writes: locks, thread_ids
// returns: recorded, root_thread_ids
// Whoever comes with one of the same turns waits at its lock, and then sees what was written here.
// The ids are sorted: two who make the same thread at once meet at the first of them. A thread
// that is made here has nothing but its id yet, and both columns are null for it.
CALL () {
  UNWIND $locks AS number
  MATCH (lock:TurnLock {number: number})
  REMOVE lock.taken
  RETURN count(*) AS locked
}
UNWIND $thread_ids AS thread_id
MERGE (t:Thread {threadId: thread_id})
WITH collect(t) AS ts
RETURN [t IN ts | t.recorded] AS recorded, [t IN ts | t.rootThreadId] AS root_thread_ids
