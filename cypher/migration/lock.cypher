// Keeps everyone else who wants to migrate waiting until this transaction ends.
// writes: none
// returns: none
// Number 0 is no migration. Its constraint makes it one node, its written property the lock.
MERGE (lock:Migration {number: 0})
SET lock.taken = coalesce(lock.taken, 0) + 1
