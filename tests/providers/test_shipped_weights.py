"""The models in the package are the ones that were measured."""

import hashlib
import json
from pathlib import Path

import pytest

from app.providers.onnx_threads import EMBEDDER_FOLDER, RERANKER_FOLDER


@pytest.mark.parametrize("folder", [EMBEDDER_FOLDER, RERANKER_FOLDER], ids=lambda folder: folder.name)
def test_the_weights_are_those_of_their_card(folder: Path) -> None:
    digest = hashlib.sha256((folder / "model.int8.onnx").read_bytes()).hexdigest()

    assert digest in (folder / "MODEL_CARD.md").read_text(encoding="utf-8")


def test_vectors_are_named_by_the_word_lists_that_they_were_made_with() -> None:
    """Other lists make other vectors: with another name a worker embeds all chunks anew."""
    digest = hashlib.sha256()
    for path in sorted((EMBEDDER_FOLDER / "glosses").glob("*.txt.xz")):
        digest.update(path.read_bytes())

    assert json.loads((EMBEDDER_FOLDER / "config.json").read_text())["glosses"] == digest.hexdigest()[:8]


@pytest.mark.parametrize(
    ("folder", "digest"),
    [
        (EMBEDDER_FOLDER, "48ebc2ca66b30798d8888ff3136f6c7e9a392d440da04c6a546509a8c0639036"),
        (RERANKER_FOLDER, "949de6b78c99bf1269c2f310c69c2f343e93af1a4fdeb0b68122ee558b76b6e3"),
    ],
    ids=["embedder", "reranker"],
)
def test_the_cards_say_what_they_said_when_the_figures_were_taken(folder: Path, digest: str) -> None:
    assert hashlib.sha256((folder / "MODEL_CARD.md").read_bytes()).hexdigest() == digest
