"""A URL becomes an answer: guarded, paced, and as robots.txt allows."""
