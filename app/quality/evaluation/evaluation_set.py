"""Reads a folder of documents, chunks and questions whose answers are known."""

import gzip
import json
import random
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.core.errors import InvalidInput

FORMAT = """A set is a folder with three files of JSON lines, gzipped or not:
  documents.jsonl[.gz]  {"doc_id", "title", "path", "text"?, "site"?, "lang"?}
  chunks.jsonl[.gz]     {"chunk_id", "doc_id", "ord", "headings"?, and "text", or "start" and "end" in the document's text}
  queries.jsonl[.gz]    {"qid", "query", "relevant": [chunk_id], "relevant_docs"?: [doc_id], "grades"?: {chunk_id: n},
                         "answerable": bool, "kind", "lang"?}"""  # noqa: E501


@dataclass(frozen=True, slots=True)
class SetChunk:
    id: str
    document_id: str
    text: str
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetDocument:
    """`text` is None if the set has only chunks. `language` is a BCP 47 primary subtag or None."""

    id: str
    title: str
    text: str | None
    site: str = ""
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """`right_chunks` and `right_documents` are what a search should find; both are empty for a question that the set
    cannot answer, whose `kind` gives the reason."""

    id: str
    text: str
    is_answerable: bool
    kind: str
    right_chunks: tuple[str, ...] = ()
    right_documents: tuple[str, ...] = ()
    grades: Mapping[str, int] | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """`chunks` are in the order of their documents, and of their position within each."""

    name: str
    documents: tuple[SetDocument, ...]
    chunks: tuple[SetChunk, ...]
    questions: tuple[Question, ...]

    @property
    def languages(self) -> list[str | None]:
        """Those of the documents; [None] if the set has none."""
        return list(dict.fromkeys(document.language for document in self.documents))

    def without_its_chunks(self) -> "EvaluationSet":
        """For a search with its own chunks: only pages can be right. Raises InvalidInput if documents have no text."""
        if not all(document.text for document in self.documents):
            raise InvalidInput(
                "", f"The documents of {self.name} have no text to cut: evaluate it with its own chunks."
            )
        questions = tuple(replace(question, right_chunks=(), grades=None) for question in self.questions)
        return replace(self, chunks=(), questions=questions)

    def sampled(self, size: int) -> "EvaluationSet":
        """`size` questions over all documents: each kind (and language) keeps its share, and at least one question."""
        groups: dict[tuple[str, str], list[Question]] = defaultdict(list)
        for question in self.questions:
            groups[question.kind, question.language or ""].append(question)
        shares = _shares({key: len(group) for key, group in groups.items()}, size)
        draw = random.Random(0)  # noqa: S311 - statistics
        kept = {question.id for key in sorted(groups) for question in draw.sample(groups[key], shares[key])}
        return replace(self, questions=tuple(question for question in self.questions if question.id in kept))


def read_evaluation_set(folder: Path) -> EvaluationSet:
    """Raises InvalidInput, which describes the format of a set."""
    try:
        documents = tuple(_document(row) for row in _rows(folder, "documents"))
        texts = {document.id: document.text for document in documents}
        chunks = [_chunk(row, texts) for row in sorted(_rows(folder, "chunks"), key=lambda row: int(row["ord"]))]
        questions = tuple(_question(row) for row in _rows(folder, "queries"))
    except (KeyError, TypeError, ValueError, OSError, EOFError, zlib.error) as error:
        reason = f"field {error} is missing" if isinstance(error, KeyError) else str(error)
        raise InvalidInput("", f"{folder} is not an evaluation set: {reason}.\n{FORMAT}") from error
    place = {document.id: number for number, document in enumerate(documents)}
    chunks.sort(key=lambda chunk: place[chunk.document_id])
    return EvaluationSet(folder.resolve().name, documents, tuple(chunks), questions)


def _rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    for path in (folder / f"{name}.jsonl.gz", folder / f"{name}.jsonl"):
        if not path.is_file():
            continue
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield _object(line, f"{path.name}, line {number}")
        return
    raise FileNotFoundError(f"there is no {name}.jsonl.gz")


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ValueError(f"{where} is not JSON ({error})") from error
    if not isinstance(row, dict):
        raise ValueError(f"{where} is not a JSON object")
    return row


def _document(row: Mapping[str, Any]) -> SetDocument:
    return SetDocument(row["doc_id"], row.get("title", ""), row.get("text"), row.get("site", ""), row.get("lang"))


def _chunk(row: Mapping[str, Any], texts: Mapping[str, str | None]) -> SetChunk:
    if row["doc_id"] not in texts:
        raise ValueError(f"chunk {row['chunk_id']} belongs to {row['doc_id']}, which is not among the documents")
    text = row.get("text")
    if text is None:
        whole = texts[row["doc_id"]]
        if whole is None:
            raise ValueError(f"chunk {row['chunk_id']} has no text, and neither has its document")
        text = whole[row["start"] : row["end"]]
    return SetChunk(row["chunk_id"], row["doc_id"], text, tuple(row.get("headings") or ()))


def _question(row: Mapping[str, Any]) -> Question:
    is_answerable = bool(row.get("answerable", True))
    return Question(
        id=row["qid"],
        text=row["query"],
        is_answerable=is_answerable,
        kind=row.get("kind") or ("answerable" if is_answerable else "unanswerable"),
        right_chunks=tuple(row.get("relevant") or ()),
        right_documents=tuple(row.get("relevant_docs") or ()) if is_answerable else (),
        grades=row.get("grades"),
        language=row.get("lang"),
    )


def _shares(sizes: Mapping[tuple[str, str], int], wanted: int) -> dict[tuple[str, str], int]:
    """`wanted` distributed over the groups by their sizes, largest remainders first, at least one each."""
    whole = sum(sizes.values())
    if wanted >= whole:
        return dict(sizes)
    exact = {key: wanted * size / whole for key, size in sizes.items()}
    shares = {key: min(sizes[key], max(1, int(share))) for key, share in exact.items()}
    for key in _by_remainder(exact, shares):
        if sum(shares.values()) >= wanted:
            break
        shares[key] += shares[key] < sizes[key]
    return shares


def _by_remainder(exact: Mapping[tuple[str, str], float], shares: Mapping[tuple[str, str], int]) -> Sequence[Any]:
    keys: Iterable[tuple[str, str]] = exact
    return sorted(keys, key=lambda key: (shares[key] - exact[key], key))
