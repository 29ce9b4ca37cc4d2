// How some trees stand.
// reads: root_ids
// returns: root_ids, revisions, revision_ids
// What is no root any more is no tree, and absent; should it be one again, it has another id.
// Trees that have not changed since revisions have ids are absent, too.
MATCH (root:Thread)
WHERE root.threadId IN $root_ids AND root.rootThreadId = root.threadId
  AND root.revisionId IS NOT NULL
RETURN collect(root.threadId) AS root_ids, collect(root.revision) AS revisions,
  collect(root.revisionId) AS revision_ids
