// A number names one migration: what has to stand before the migrations can be told apart.
// writes: none
// returns: none
CREATE CONSTRAINT migration_number IF NOT EXISTS FOR (m:Migration)
REQUIRE m.number IS UNIQUE
