"""A question and what was found for it become an answer."""
