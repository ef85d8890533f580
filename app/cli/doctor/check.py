"""What `docent doctor` says of one part."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """`said` is how the part is; `problem` what is wrong and what mends it, "" where nothing is. A `note` is worth
    knowing and nothing wrong."""

    part: str
    said: str
    problem: str = ""
    note: str = ""

    def in_words(self) -> str:
        return f"{self.part}: {self.said}"
