"""The page to ask questions in: GraphiQL, served from here."""
