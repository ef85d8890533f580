"""How often and how many at once: rate limits and places, in memory or in Redis."""
