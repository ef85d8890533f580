"""How answers of chat models are judged: `python -m tests.model_answers [DATA ...]`."""
