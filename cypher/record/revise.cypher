// Lets the revision of trees grow because something in them changed.
// writes: root_ids
// returns: none
// The id is another one for each revision, also where numbers come again: in a graph that was
// emptied, or brought back to an earlier state.
UNWIND $root_ids AS root_id
MATCH (root:Thread {threadId: root_id})
SET root.revision = coalesce(root.revision, 0) + 1, root.revisionId = randomUUID()
