"""Building blocks that know none of the rooms above: cache, limits, clock, patterns, tasks."""
