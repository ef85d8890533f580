"""A website is read page by page, from a frontier that outlives the process."""
