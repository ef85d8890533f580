"""From a question and what was found for it to an answer."""
