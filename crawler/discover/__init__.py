"""Finds the URLs of a website in sitemaps and feeds, and decides which URLs are in scope."""
