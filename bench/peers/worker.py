"""What a framework's worker reads and writes. The standard library alone: each runs in an environment of its own."""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CORPUS: Final = "corpus.json"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Chunks by their id, as they are embedded and searched by keywords, and a vector of length 1 for each of these
    texts and each question."""

    texts: dict[str, str]
    vectors: dict[str, list[float]]

    @classmethod
    def read(cls, folder: Path) -> "Corpus":
        return cls(**json.loads((folder / CORPUS).read_text("utf-8")))


def serve(retrieve: Callable[[str], Sequence[str]]) -> None:
    """Answer the questions of standard input by the ids of the chunks that `retrieve` gives, best first."""
    say(ready=True)
    for question in questions():
        began = time.process_time()
        found = retrieve(question)
        say(found=list(found), seconds=time.process_time() - began)


def questions() -> Iterator[str]:
    for line in sys.stdin:
        yield json.loads(line)


def say(**answer: object) -> None:
    """`ready` once it can be asked; then for each question `found`, ids of chunks, and `seconds` of the processor, in
    all threads of this process."""
    print(json.dumps(answer), flush=True)
