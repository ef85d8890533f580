"""The models in the package are the ones that were measured."""

import hashlib
from pathlib import Path

import pytest

from app.providers.shipped_weights import EMBEDDER_FOLDER, RERANKER_FOLDER


@pytest.mark.parametrize("folder", [EMBEDDER_FOLDER, RERANKER_FOLDER], ids=lambda folder: folder.name)
def test_the_weights_are_those_of_their_card(folder: Path) -> None:
    digest = hashlib.sha256((folder / "model.int8.onnx").read_bytes()).hexdigest()

    assert digest in (folder / "MODEL_CARD.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("folder", "digest"),
    [
        (EMBEDDER_FOLDER, "26ba3f8c4a5003ef18edf4a5315b9e4b9a3b5575ec2eef325bad3f3c38ad9797"),
        (RERANKER_FOLDER, "ac4fa23b8c79e81fa9359fe5011734e27bffb6748fb1e3417ca1a2b8fc61dfae"),
    ],
    ids=["embedder", "reranker"],
)
def test_the_cards_say_what_they_said_when_the_figures_were_taken(folder: Path, digest: str) -> None:
    assert hashlib.sha256((folder / "MODEL_CARD.md").read_bytes()).hexdigest() == digest
