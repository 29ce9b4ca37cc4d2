// Locks trees by their roots and reads threads as they stand once the locks are held.
// writes: root_ids, thread_ids, columns
// returns: columns, spawns, forks
// The locks are those of `record/lock_trees`, and taken in the same way. A spawn edge leaves as
// parent and origin, a fork edge as source, transfer, and whether it took the context only.
CALL () {
  UNWIND $root_ids AS root_id
  MATCH (root:Thread {threadId: root_id})
  REMOVE root.taken
  RETURN count(*) AS locked
}
UNWIND $thread_ids AS thread_id
MATCH (t:Thread {threadId: thread_id})
WITH collect(t) AS ts
RETURN [c IN $columns | [t IN ts | t[c]]] AS columns,
  [t IN ts | head(COLLECT {
    MATCH (t)-[e:SPAWNED_BY]->(parent) RETURN [parent.threadId, e.origin]
  })] AS spawns,
  [t IN ts | head(COLLECT {
    MATCH (t)-[e:FORKED_FROM]->(source)
    RETURN [source.threadId, e.transferId, coalesce(e.contextOnly, false)]
  })] AS forks
