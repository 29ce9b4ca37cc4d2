// Some threads with their parents, their roots, and their children down to eight levels.
// reads: thread_ids, columns, parent_columns, root_columns, levels, with_trees
// returns: trees, columns, parent_columns, root_columns, levels
// A level is asked with types, status, limit and columns; there are always eight, and limit 0 is
// one that is not asked and costs nothing. Each thread of a level is an owner once, whoever's
// child it is. The last row of a full list only shows that more follow, and owns nothing.
// A list of columns has a list of values for each owner. How the trees stand is read before all
// but the threads themselves: what is read is then never older than that.
MATCH (thread:Thread)
WHERE thread.threadId IN $thread_ids
WITH collect(thread) AS owners_1
CALL (owners_1) {
  UNWIND CASE WHEN $with_trees THEN owners_1 ELSE [] END AS thread
  MATCH (root:Thread {threadId: thread.rootThreadId})
  WITH DISTINCT root
  RETURN collect([root.threadId, coalesce(root.revision, 0), root.revisionId]) AS trees
}
CALL (owners_1) {
  UNWIND CASE WHEN $parent_columns = [] THEN [] ELSE owners_1 END AS thread
  MATCH (parent:Thread {threadId: thread.parentThreadId})
  RETURN collect(DISTINCT parent) AS parents
}
CALL (owners_1) {
  UNWIND CASE WHEN $root_columns = [] THEN [] ELSE owners_1 END AS thread
  MATCH (root:Thread {threadId: thread.rootThreadId})
  RETURN collect(DISTINCT root) AS roots
}
CALL (owners_1) {
  UNWIND CASE WHEN $levels[0].limit = 0 THEN [] ELSE owners_1 END AS owner
  CALL (owner) {
    MATCH (owner)<-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(child)
    WHERE type(edge) IN $levels[0].types AND child <> owner
      AND ($levels[0].status IS NULL OR edge.status = $levels[0].status)
    WITH DISTINCT child ORDER BY child.threadId LIMIT $levels[0].limit
    RETURN collect(child) AS children
  }
  RETURN collect(owner.threadId) AS ids_1, collect(children) AS lists_1
}
CALL (lists_1) {
  UNWIND lists_1 AS list
  UNWIND list[..$levels[0].limit - 1] AS owner
  RETURN collect(DISTINCT owner) AS owners_2
}
CALL (owners_2) {
  UNWIND CASE WHEN $levels[1].limit = 0 THEN [] ELSE owners_2 END AS owner
  CALL (owner) {
    MATCH (owner)<-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(child)
    WHERE type(edge) IN $levels[1].types AND child <> owner
      AND ($levels[1].status IS NULL OR edge.status = $levels[1].status)
    WITH DISTINCT child ORDER BY child.threadId LIMIT $levels[1].limit
    RETURN collect(child) AS children
  }
  RETURN collect(owner.threadId) AS ids_2, collect(children) AS lists_2
}
CALL (lists_2) {
  UNWIND lists_2 AS list
  UNWIND list[..$levels[1].limit - 1] AS owner
  RETURN collect(DISTINCT owner) AS owners_3
}
CALL (owners_3) {
  UNWIND CASE WHEN $levels[2].limit = 0 THEN [] ELSE owners_3 END AS owner
  CALL (owner) {
    MATCH (owner)<-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(child)
    WHERE type(edge) IN $levels[2].types AND child <> owner
      AND ($levels[2].status IS NULL OR edge.status = $levels[2].status)
    WITH DISTINCT child ORDER BY child.threadId LIMIT $levels[2].limit
    RETURN collect(child) AS children
  }
  RETURN collect(owner.threadId) AS ids_3, collect(children) AS lists_3
}
CALL (lists_3) {
  UNWIND lists_3 AS list
  UNWIND list[..$levels[2].limit - 1] AS owner
  RETURN collect(DISTINCT owner) AS owners_4
}
CALL (owners_4) {
  UNWIND CASE WHEN $levels[3].limit = 0 THEN [] ELSE owners_4 END AS owner
  CALL (owner) {
    MATCH (owner)<-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(child)
    WHERE type(edge) IN $levels[3].types AND child <> owner
      AND ($levels[3].status IS NULL OR edge.status = $levels[3].status)
    WITH DISTINCT child ORDER BY child.threadId LIMIT $levels[3].limit
    RETURN collect(child) AS children
  }
  RETURN collect(owner.threadId) AS ids_4, collect(children) AS lists_4
}
CALL (lists_4) {
  UNWIND lists_4 AS list
  UNWIND list[..$levels[3].limit - 1] AS owner
  RETURN collect(DISTINCT owner) AS owners_5
}
CALL (owners_5) {
  UNWIND CASE WHEN $levels[4].limit = 0 THEN [] ELSE owners_5 END AS owner
  CALL (owner) {
    MATCH (owner)<-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(child)
    WHERE type(edge) IN $levels[4].types AND child <> owner
      AND ($levels[4].status IS NULL OR edge.status = $levels[4].status)
    WITH DISTINCT child ORDER BY child.threadId LIMIT $levels[4].limit
    RETURN collect(child) AS children
  }
  RETURN collect(owner.threadId) AS ids_5, collect(children) AS lists_5
}
CALL (lists_5) {
  UNWIND lists_5 AS list
  UNWIND list[..$levels[4].limit - 1] AS owner
  RETURN collect(DISTINCT owner) AS owners_6
}
CALL (owners_6) {
  UNWIND CASE WHEN $levels[5].limit = 0 THEN [] ELSE owners_6 END AS owner
  CALL (owner) {
    MATCH (owner)<-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(child)
    WHERE type(edge) IN $levels[5].types AND child <> owner
      AND ($levels[5].status IS NULL OR edge.status = $levels[5].status)
    WITH DISTINCT child ORDER BY child.threadId LIMIT $levels[5].limit
    RETURN collect(child) AS children
  }
  RETURN collect(owner.threadId) AS ids_6, collect(children) AS lists_6
}
CALL (lists_6) {
  UNWIND lists_6 AS list
  UNWIND list[..$levels[5].limit - 1] AS owner
  RETURN collect(DISTINCT owner) AS owners_7
}
CALL (owners_7) {
  UNWIND CASE WHEN $levels[6].limit = 0 THEN [] ELSE owners_7 END AS owner
  CALL (owner) {
    MATCH (owner)<-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(child)
    WHERE type(edge) IN $levels[6].types AND child <> owner
      AND ($levels[6].status IS NULL OR edge.status = $levels[6].status)
    WITH DISTINCT child ORDER BY child.threadId LIMIT $levels[6].limit
    RETURN collect(child) AS children
  }
  RETURN collect(owner.threadId) AS ids_7, collect(children) AS lists_7
}
CALL (lists_7) {
  UNWIND lists_7 AS list
  UNWIND list[..$levels[6].limit - 1] AS owner
  RETURN collect(DISTINCT owner) AS owners_8
}
CALL (owners_8) {
  UNWIND CASE WHEN $levels[7].limit = 0 THEN [] ELSE owners_8 END AS owner
  CALL (owner) {
    MATCH (owner)<-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(child)
    WHERE type(edge) IN $levels[7].types AND child <> owner
      AND ($levels[7].status IS NULL OR edge.status = $levels[7].status)
    WITH DISTINCT child ORDER BY child.threadId LIMIT $levels[7].limit
    RETURN collect(child) AS children
  }
  RETURN collect(owner.threadId) AS ids_8, collect(children) AS lists_8
}
RETURN trees, [c IN $columns | [thread IN owners_1 | thread[c]]] AS columns,
  [c IN $parent_columns | [parent IN parents | parent[c]]] AS parent_columns,
  [c IN $root_columns | [root IN roots | root[c]]] AS root_columns,
  [
    {owner_ids: ids_1, columns:
      [c IN $levels[0].columns | [list IN lists_1 | [child IN list | child[c]]]]},
    {owner_ids: ids_2, columns:
      [c IN $levels[1].columns | [list IN lists_2 | [child IN list | child[c]]]]},
    {owner_ids: ids_3, columns:
      [c IN $levels[2].columns | [list IN lists_3 | [child IN list | child[c]]]]},
    {owner_ids: ids_4, columns:
      [c IN $levels[3].columns | [list IN lists_4 | [child IN list | child[c]]]]},
    {owner_ids: ids_5, columns:
      [c IN $levels[4].columns | [list IN lists_5 | [child IN list | child[c]]]]},
    {owner_ids: ids_6, columns:
      [c IN $levels[5].columns | [list IN lists_6 | [child IN list | child[c]]]]},
    {owner_ids: ids_7, columns:
      [c IN $levels[6].columns | [list IN lists_7 | [child IN list | child[c]]]]},
    {owner_ids: ids_8, columns:
      [c IN $levels[7].columns | [list IN lists_8 | [child IN list | child[c]]]]}
  ] AS levels
