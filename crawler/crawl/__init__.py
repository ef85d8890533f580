"""Crawls a website page by page. The frontier, its queue, is stored, so that a crawl can resume in another process."""
