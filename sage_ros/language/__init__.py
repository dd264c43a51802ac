"""Model clients: requests, replies by schema, failures with a type."""
