// The trees whose lineage shows threads of other trees because of a hand-off.
// reads: thread_ids
// returns: root_thread_ids
UNWIND $thread_ids AS thread_id
MATCH (t:Thread {threadId: thread_id})
MATCH (t)<-[:TRANSFERS_FROM|TRANSFERS_TO]-(x)-[:TRANSFERS_FROM|TRANSFERS_TO]->(other)
WHERE x.type = 'PROVIDER_HANDOFF' AND other.rootThreadId <> t.rootThreadId
RETURN collect(DISTINCT other.rootThreadId) AS root_thread_ids
