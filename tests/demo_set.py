"""The demonstration website and its golden questions as an evaluation set: `python -m tests.demo_set DIR`."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crawler.extraction import extract_page

_ROOT = Path(__file__).resolve().parents[1]
_SITE = _ROOT / "app" / "demo_site"
_GOLDEN = _ROOT / "tests" / "data" / "demo_golden_questions.jsonl"
_HOST = "nimbrel.example"


def write_demo_set(folder: Path) -> Path:
    """The folder, with documents as a crawl reads them, no chunks of its own, and 60 questions."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "documents.jsonl", _documents())
    _write(folder / "chunks.jsonl", ())
    _write(folder / "queries.jsonl", _questions())
    return folder


def _documents() -> Iterable[dict[str, Any]]:
    for file in sorted(_SITE.rglob("index.html")):
        path = "/" + file.relative_to(_SITE).as_posix().removesuffix("index.html")
        page = extract_page(file.read_bytes(), f"https://{_HOST}{path}", "utf-8")
        if not page.is_noindex:
            yield {"doc_id": path, "title": page.title, "path": path, "site": _HOST, "text": page.markdown}


def _questions() -> Iterable[dict[str, Any]]:
    for line in _GOLDEN.read_text("utf-8").splitlines():
        golden = json.loads(line)
        yield {
            "qid": golden["id"],
            "query": golden["question"],
            "relevant": [],
            "relevant_docs": [link.partition("#")[0] for link in golden["relevant"]],
            "answerable": golden["answerable"],
            "kind": golden["kind"],
        }


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


if __name__ == "__main__":
    write_demo_set(Path(sys.argv[1]))
