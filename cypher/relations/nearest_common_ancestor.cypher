// The thread nearest above several threads, each of which is above itself.
// reads: thread_ids, columns
// returns: known, columns
// The shortest distance alone is asked for, so that the walk prunes breadth first and ends on
// cycles. Nearest is the smallest sum of the hops from all, then the smallest id.
CALL () {
  UNWIND $thread_ids AS thread_id
  MATCH (start:Thread {threadId: thread_id})
  RETURN collect(start) AS starts
}
CALL (starts) {
  UNWIND starts AS start
  MATCH path = (start)-[:FORKED_FROM|SPAWNED_BY|CHILD_OF*0..]->(above)
  WITH start, above, min(length(path)) AS distance
  WITH above, count(start) AS below, sum(distance) AS hops
  WHERE below = size($thread_ids)
  WITH above, hops ORDER BY hops, above.threadId LIMIT 1
  RETURN collect(above) AS found
}
RETURN [start IN starts | start.threadId] AS known,
  [c IN $columns | [thread IN found | thread[c]]] AS columns
