// A window key, `<thread id>/<number>`, names one context window.
// writes: none
// returns: none
CREATE CONSTRAINT window_key IF NOT EXISTS FOR (c:ContextWindow)
REQUIRE c.windowKey IS UNIQUE
