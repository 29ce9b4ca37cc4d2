// Threads whose stored root or depth is not that of the walk up to the top.
// reads: limit
// returns: ids, stored, expected
// Only those that do not fit their parent are walked from: if no thread is wrong itself, all fit
// but for the roots of cycles. Below a thread with a wrong place others may have followed it, and
// are told once it is right. A cycle's root is the smallest id in it.
MATCH (thread:Thread)
OPTIONAL MATCH (parent:Thread {threadId: thread.parentThreadId})
WITH thread, parent
WHERE coalesce(thread.rootThreadId, '') <> coalesce(parent.rootThreadId, thread.threadId)
  OR coalesce(thread.depth, -1) <> coalesce(parent.depth + 1, 0)
CALL (thread) {
  MATCH path = (thread)-[edges:FORKED_FROM|SPAWNED_BY|CHILD_OF*0..]->(above)
  WHERE all(edge IN edges WHERE startNode(edge).parentThreadId = endNode(edge).threadId)
  WITH above, min(length(path)) AS hops ORDER BY hops
  WITH collect(above.threadId) AS chain, collect(coalesce(above.parentThreadId, '')) AS parents
  WITH chain,
    coalesce(head([at IN range(0, size(chain) - 1) WHERE chain[at] = parents[-1]]),
             size(chain) - 1) AS ring
  UNWIND chain[ring..] AS member
  WITH chain, min(member) AS root
  RETURN root, head([at IN range(0, size(chain) - 1) WHERE chain[at] = root]) AS depth
}
WITH thread, root, depth
WHERE coalesce(thread.rootThreadId, '') <> root OR coalesce(thread.depth, -1) <> depth
WITH thread, root, depth ORDER BY thread.threadId LIMIT $limit
RETURN [thread.threadId] AS ids,
  coalesce(thread.rootThreadId, 'none') + ' ' + coalesce(toString(thread.depth), 'none') AS stored,
  root + ' ' + toString(depth) AS expected
