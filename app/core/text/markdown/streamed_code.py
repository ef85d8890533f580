"""Follows where code begins and ends in Markdown that arrives in pieces."""

from dataclasses import dataclass
from typing import Final

_FENCE_CHARS: Final = 3


@dataclass(slots=True)
class StreamedCode:
    """Feed it every run of backticks and every line break. A run opens code, which the same run closes; a line break
    closes code that fewer than three backticks opened."""

    opened_by: str = ""  # the run that opened the code, "" outside of code

    def feed(self, mark: str) -> None:
        if mark == "\n":
            if len(self.opened_by) < _FENCE_CHARS:
                self.opened_by = ""
        elif not self.opened_by:
            self.opened_by = mark
        elif mark == self.opened_by:
            self.opened_by = ""
