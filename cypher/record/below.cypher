// The threads that hang below others in the browsing lineage, over any number of hops.
// reads: thread_ids, columns
// returns: columns
// An edge counts where it is the one that its thread hangs on; the starts are part of the answer
// only where they hang below another one.
UNWIND $thread_ids AS thread_id
MATCH (t:Thread {threadId: thread_id})<-[es:SPAWNED_BY|CHILD_OF|FORKED_FROM*1..]-(d)
WHERE all(e IN es WHERE startNode(e).parentThreadId = endNode(e).threadId)
WITH DISTINCT d
WITH collect(d) AS ds
RETURN [c IN $columns | [d IN ds | d[c]]] AS columns
