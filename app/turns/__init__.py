"""A turn is one question and its answer: run, streamed, kept and joined again."""
