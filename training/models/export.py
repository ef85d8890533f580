"""`python -m training.models.export`: makes the two weights folders, as in `app/weights`, of what was trained."""

import argparse
import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors.numpy import load_file

from training.models.onnx_weights import Weights, read_weights, write_weights

_MODEL: Final = "model.int8.onnx"
_DIGEST_CHARS: Final = 12
_SHARES: Final = {"embedder": 0.85, "reranker": 1.0}  # of the trained weights; the rest is the base's


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    for name, share in _SHARES.items():
        trained = load_file(str(arguments.trained / f"{name}.safetensors"))
        _export(trained, share, arguments.base / name, arguments.out / name)


def _export(trained: Weights, share: float, base: Path, out: Path) -> None:
    """`config.json` stays as it is but for the `model_id`, where it has one: vectors of other weights are others."""
    weights = _mixed(read_weights(base / _MODEL), trained, share)
    out.mkdir(parents=True, exist_ok=True)
    write_weights(weights, base / _MODEL, out / _MODEL)
    shutil.copy(base / "tokenizer.json", out)
    config: dict[str, Any] = json.loads((base / "config.json").read_text("utf-8"))
    digest = hashlib.sha256((out / _MODEL).read_bytes()).hexdigest()[:_DIGEST_CHARS]
    if "model_id" in config:
        config["model_id"] = f"onnx-model.int8-{digest}"
    (out / "config.json").write_text(json.dumps(config, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"{out}: {digest}")


def _mixed(base: Weights, trained: Weights, share: float) -> Weights:
    """Some of the old weights keep what the training data does not ask for. Raises KeyError where one is missing."""
    return {
        name: np.asarray(weight + np.float32(share) * (trained[name] - weight), np.float32)
        for name, weight in base.items()
    }


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trained", type=Path, default=Path(".venv/training"), help="the folder that train wrote to")
    parser.add_argument("--base", type=Path, default=Path("app/weights"), help="the two folders that it started from")
    parser.add_argument("--out", type=Path, default=Path(".venv/training"), help="a folder for the two")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
