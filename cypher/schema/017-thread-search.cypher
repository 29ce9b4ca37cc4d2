// The threads whose name, title or preview holds a text.
// writes: none
// returns: none
CREATE TEXT INDEX thread_search IF NOT EXISTS FOR (t:Thread)
ON (t.searchText)
