"""Rate limits and limits of concurrency, in memory or in Redis."""
