"""HTTP and GraphQL: the edge of the service."""
