import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import InvalidInput
from app.quality.evaluation.evaluation_set import read_evaluation_set

DOCUMENTS = [
    {"doc_id": "d1", "title": "Prices", "path": "prices", "text": "Plus is 4 euro. Basic is free."},
    {"doc_id": "d2", "title": "Preise", "path": "de/preise", "lang": "de"},
]
CHUNKS = [
    {"chunk_id": "c3", "doc_id": "d2", "ord": 0, "text": "Plus kostet 4 Euro."},
    {"chunk_id": "c2", "doc_id": "d1", "ord": 1, "start": 16, "end": 30, "headings": ["Basic"]},
    {"chunk_id": "c1", "doc_id": "d1", "ord": 0, "start": 0, "end": 15},
]
QUERIES = [
    {"qid": "q1", "query": "What is Plus?", "relevant": ["c1"], "relevant_docs": ["d1"], "answerable": True},
    {"qid": "q2", "query": "Who is the CEO?", "relevant": [], "answerable": False, "kind": "gap"},
]


def written(folder: Path, **files: list[dict[str, Any]] | str) -> Path:
    given: dict[str, Any] = {"documents": DOCUMENTS, "chunks": CHUNKS, "queries": QUERIES, **files}
    for name, rows in given.items():
        text = rows if isinstance(rows, str) else "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def test_chunks_come_in_the_order_of_their_documents_with_their_text(tmp_path: Path) -> None:
    found = read_evaluation_set(written(tmp_path))

    assert [(chunk.id, chunk.text) for chunk in found.chunks] == [
        ("c1", "Plus is 4 euro."),
        ("c2", "Basic is free."),
        ("c3", "Plus kostet 4 Euro."),
    ]
    assert found.chunks[1].headings == ("Basic",)
    assert found.languages == [None, "de"]


def test_a_question_without_a_kind_is_named_by_what_it_is(tmp_path: Path) -> None:
    found = read_evaluation_set(written(tmp_path))

    assert [(question.kind, question.is_answerable) for question in found.questions] == [
        ("answerable", True),
        ("gap", False),
    ]


def test_files_need_not_be_compressed(tmp_path: Path) -> None:
    written(tmp_path)
    packed = tmp_path / "queries.jsonl.gz"
    (tmp_path / "queries.jsonl").write_bytes(gzip.decompress(packed.read_bytes()))
    packed.unlink()

    assert len(read_evaluation_set(tmp_path).questions) == 2


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"queries": "{"}, "line 1 is not JSON"),
        ({"queries": "[1]"}, "not a JSON object"),
        ({"queries": [{"qid": "q"}]}, "'query' is missing"),
        ({"chunks": [{"chunk_id": "c", "doc_id": "?", "ord": 0, "text": "x"}]}, "not among the documents"),
        ({"chunks": [{"chunk_id": "c", "doc_id": "d2", "ord": 0, "start": 0, "end": 1}]}, "has no text"),
    ],
)
def test_a_bad_set_says_what_is_wrong_and_what_a_set_looks_like(
    tmp_path: Path, files: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason) as caught:
        read_evaluation_set(written(tmp_path, **files))
    assert "documents.jsonl[.gz]" in str(caught.value)


@pytest.mark.parametrize("broken", [b"", b"not gzip", gzip.compress(b"{}")[:-9]], ids=["empty", "plain", "cut"])
def test_a_file_that_is_not_gzip_is_a_bad_set(tmp_path: Path, broken: bytes) -> None:
    (written(tmp_path) / "chunks.jsonl.gz").write_bytes(broken)

    if broken:
        with pytest.raises(InvalidInput):
            read_evaluation_set(tmp_path)
    else:
        assert read_evaluation_set(tmp_path).chunks == ()


def test_a_folder_that_is_not_there_is_a_bad_set(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no documents\.jsonl"):
        read_evaluation_set(tmp_path / "nowhere")


def test_a_sample_keeps_the_share_of_each_kind_and_is_the_same_each_time(tmp_path: Path) -> None:
    kinds = ["direct"] * 80 + ["gap"] * 18 + ["rare"] * 2
    queries = [
        {"qid": str(n), "query": "?", "relevant": [], "answerable": True, "kind": k} for n, k in enumerate(kinds)
    ]
    whole = read_evaluation_set(written(tmp_path, queries=queries))

    sample = whole.sampled(20)

    assert Counter(question.kind for question in sample.questions) == {"direct": 16, "gap": 3, "rare": 1}
    assert sample == whole.sampled(20)
    assert [int(question.id) for question in sample.questions] != list(range(20))
    assert sample.chunks == whole.chunks
    assert whole.sampled(1000) == whole


def test_cutting_the_documents_ourselves_leaves_pages_to_be_right(tmp_path: Path) -> None:
    whole = read_evaluation_set(written(tmp_path, documents=DOCUMENTS[:1], chunks=CHUNKS[1:]))

    assert whole.without_its_chunks().chunks == ()
    assert whole.without_its_chunks().questions[0].right_documents == ("d1",)
    assert whole.without_its_chunks().questions[0].right_chunks == ()


def test_documents_without_text_cannot_be_cut(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no text to cut"):
        read_evaluation_set(written(tmp_path)).without_its_chunks()
