// Keeps everyone else who wants to migrate waiting until this transaction ends, and answers with
// the migrations that were applied by then.
// writes: none
// returns: numbers, checksums
// Number 0 is no migration. Its constraint makes it one node, its written property the lock.
MERGE (lock:Migration {number: 0})
SET lock.taken = true
WITH lock
MATCH (m:Migration)
WITH properties(m) AS m
WHERE m.number > 0
WITH m ORDER BY m.number
WITH collect(m) AS ms
RETURN [m IN ms | m.number] AS numbers, [m IN ms | m.checksum] AS checksums
