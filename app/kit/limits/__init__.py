"""How often and how many at once: rate limits and slots, in memory or in Redis."""
