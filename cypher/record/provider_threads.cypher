// Hangs threads on the provider's own threads that back them.
// writes: provider_threads
// returns: none
// A thread that was imported again for another provider leaves the one it had.
UNWIND $provider_threads AS row
MATCH (t:Thread {threadId: row.threadId})
CALL (t, row) {
  MATCH (t)-[old:BACKED_BY]->(p:ProviderThread)
  WHERE p.providerThreadKey = row.oldKey
  DELETE old
}
MERGE (p:ProviderThread {providerThreadKey: row.key})
SET p += row.properties
MERGE (t)-[:BACKED_BY]->(p)
