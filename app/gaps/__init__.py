"""Questions that the knowledge could not answer: found, grouped, closed, asked again."""
