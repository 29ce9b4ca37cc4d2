// Remembers that migrations were applied.
// writes: migrations, applied_at
// returns: none
UNWIND $migrations AS migration
MERGE (m:Migration {number: migration.number})
SET m.name = migration.name, m.checksum = migration.checksum, m.appliedAt = $applied_at
