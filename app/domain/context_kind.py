"""What stands before a chunk where it is embedded and keyword-indexed."""

from enum import StrEnum


class ContextKind(StrEnum):
    STRUCTURAL = "structural"  # one line: site, page, headings
    MODEL = "model"  # that line, and a sentence or two that the chat model wrote about the chunk
