// How some trees stand.
// reads: root_ids
// returns: root_ids, revisions, revision_ids
// Trees that have not changed since trees were told apart by an id are absent.
MATCH (root:Thread)
WHERE root.threadId IN $root_ids AND root.revisionId IS NOT NULL
RETURN collect(root.threadId) AS root_ids, collect(root.revision) AS revisions,
  collect(root.revisionId) AS revision_ids
