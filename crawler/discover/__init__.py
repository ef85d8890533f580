"""Where the URLs of a website come from: sitemaps, feeds, links, and what is in scope."""
