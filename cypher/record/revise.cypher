// Lets the revision of trees grow because something in them changed.
// writes: root_ids
// returns: none
UNWIND $root_ids AS root_id
MATCH (root:Thread {threadId: root_id})
SET root.revision = coalesce(root.revision, 0) + 1
