"""Where the ONNX models of the package are."""

from pathlib import Path
from typing import Final

_WEIGHTS: Final = Path(__file__).resolve().parent.parent / "weights"

EMBEDDER_FOLDER: Final = _WEIGHTS / "embedder"
RERANKER_FOLDER: Final = _WEIGHTS / "reranker"
