// Remembers how the sources stood that threads were read from.
// writes: sources
// returns: none
// A thread whose import is not complete has no digest: its source has to be read again.
UNWIND $sources AS source
MATCH (t:Thread {threadId: source.threadId})
WHERE t.importDigest IS NOT NULL
SET t.sourceFingerprint = source.fingerprint
