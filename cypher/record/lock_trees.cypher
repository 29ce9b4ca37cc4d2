// Locks trees by their roots and reads threads as they stand once the locks are held.
// writes: root_ids, thread_ids, columns
// returns: columns
// The roots are sorted, so that two writers meet at the first one they share. Writing a property
// takes the lock, also where the value stays: the revision grows only when a tree has changed.
CALL () {
  UNWIND $root_ids AS root_id
  MATCH (root:Thread {threadId: root_id})
  SET root.revision = coalesce(root.revision, 0)
  RETURN count(*) AS locked
}
UNWIND $thread_ids AS thread_id
MATCH (t:Thread {threadId: thread_id})
WITH collect(t) AS ts
RETURN [c IN $columns | [t IN ts | t[c]]] AS columns
