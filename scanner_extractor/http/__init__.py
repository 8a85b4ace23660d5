"""HTTP of all sources: transport, authentication, pagination, rate limit, concurrency, recording and replay."""
