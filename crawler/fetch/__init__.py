"""Fetches URLs: guarded, paced, and as robots.txt allows."""
