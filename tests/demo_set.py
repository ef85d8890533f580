"""The demonstration website and its golden questions as an evaluation set: `python -m tests.demo_set DIR`.

With `--long` each question stands in the middle of a letter, as people write who describe their case first: a text of
more than the 256 tokens that the shipped embedder reads. With `--slips` a letter of
the longest word of each is wrong.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

from crawler.extract.extraction import extract_page

_ROOT = Path(__file__).resolve().parents[1]
_SITE = _ROOT / "app" / "demo_site"
_GOLDEN = _ROOT / "tests" / "data" / "demo_golden_questions.jsonl"
_HOST = "nimbrel.example"

_BEFORE = """
Hello and good evening to everybody on your team. I hope that you can spare me a few minutes. We moved house in spring,
my husband, our two daughters and I, and since then the days have been rather full. My neighbour, who is a retired
teacher, told me about you when we met at the bakery on Saturday. She said that she had written to you once and got a
kind reply. I have looked around on my own first, on my phone, while the children were asleep. My eyes are not what they
were, so I may have missed it. My brother thinks that I worry too much, and he may be right. Still, I like to know how
things are before I begin. Last year I began without asking, and it took us three weekends to put it right. You will
understand that I do not want to go through that again. My husband wanted to call somebody instead, but I prefer to have
it in writing. So here is what I would like to know.
"""
_AFTER = """
That is all, and I am sorry that this has become so long. My daughter says that nobody writes letters any more, but I
find that it helps me think. If you need to know more about us, please ask. We are at home on most evenings, and on
Sundays until noon. There is no hurry, though it would be good to hear from you before the end of the month. My
neighbour sends her greetings as well. Thank you very much for your time and for your patience with me. I wish you and
your families a quiet evening and a good start into the week. With kind regards from the hills, where the first snow has
fallen today.
"""


def write_demo_set(folder: Path, wording: Callable[[str], str] = str) -> Path:
    """The folder, with documents as a crawl reads them, no chunks of its own, and 60 questions in that wording."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "documents.jsonl", _documents())
    _write(folder / "chunks.jsonl", ())
    _write(folder / "queries.jsonl", _questions(wording))
    return folder


def _documents() -> Iterable[dict[str, Any]]:
    for file in sorted(_SITE.rglob("index.html")):
        path = "/" + file.relative_to(_SITE).as_posix().removesuffix("index.html")
        page = extract_page(file.read_bytes(), f"https://{_HOST}{path}", "utf-8")
        if not page.is_noindex:
            yield {"doc_id": path, "title": page.title, "path": path, "site": _HOST, "text": page.markdown}


def _questions(wording: Callable[[str], str]) -> Iterable[dict[str, Any]]:
    for line in _GOLDEN.read_text("utf-8").splitlines():
        golden = json.loads(line)
        yield {
            "qid": golden["id"],
            "query": wording(golden["question"]),
            "relevant": [],
            "relevant_docs": [link.partition("#")[0] for link in golden["relevant"]],
            "answerable": golden["answerable"],
            "kind": golden["kind"],
        }


def in_a_letter(question: str) -> str:
    """In the middle of a text of 330 words."""
    return " ".join(f"{_BEFORE} {question} {_AFTER}".split())


def with_a_slip(question: str) -> str:
    """A letter of its longest word, of five and more, left out, doubled, changed or exchanged with the next."""
    found = max(re.finditer(r"[a-z]{5,}", question), key=lambda word: len(word[0]), default=None)
    if found is None:
        return question
    random, word = Random(question), found[0]
    at = random.randrange(1, len(word) - 1)
    slip = random.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + random.choice("etaoinsr") + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        ]
    )
    return question[: found.start()] + slip + question[found.end() :]


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


if __name__ == "__main__":
    wordings = {"--long": in_a_letter, "--slips": with_a_slip}
    write_demo_set(Path(sys.argv[1]), wordings[sys.argv[2]] if sys.argv[2:] else str)
