"""What every room above builds with, and that knows none of them: cache, limits, clock, patterns, tasks."""
