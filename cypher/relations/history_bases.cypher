// The history base of each thread that has one.
// reads: thread_ids
// returns: owner_id, base_id, end_ordinal
UNWIND $thread_ids AS owner_id
MATCH (:Thread {threadId: owner_id})-[reference:HISTORY_BASE]->(base)
RETURN owner_id, base.threadId AS base_id, reference.endOrdinal AS end_ordinal
