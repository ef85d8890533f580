"""Where a website's source is kept."""
