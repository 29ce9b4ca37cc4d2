// Locks trees by their roots and reads threads as they stand once the locks are held.
// writes: root_ids, thread_ids, columns
// returns: columns
// The roots are sorted, so that two writers meet at the first one they share. Removing a property
// that is never there takes the lock and changes nothing. Writing one from its own value, as in
// `revision + 1`, would not do: it takes a second lock first and gives it back at once, and who
// waits with that one in hand and who holds the node then wait for each other.
CALL () {
  UNWIND $root_ids AS root_id
  MATCH (root:Thread {threadId: root_id})
  REMOVE root.taken
  RETURN count(*) AS locked
}
UNWIND $thread_ids AS thread_id
MATCH (t:Thread {threadId: thread_id})
WITH collect(t) AS ts
RETURN [c IN $columns | [t IN ts | t[c]]] AS columns
