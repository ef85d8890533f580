"""`python -m bench.training.export`: makes a weights folder, such as `app/weights/embedder`, of what was trained."""

import argparse
import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors.numpy import load_file

from bench.training.onnx_weights import Weights, read_weights, write_weights

_MODEL: Final = "model.int8.onnx"
_DIGEST_CHARS: Final = 12


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    weights = _mixed(read_weights(arguments.base / _MODEL), load_file(str(arguments.trained)), arguments.share)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_weights(weights, arguments.base / _MODEL, arguments.out / _MODEL)
    shutil.copy(arguments.base / "tokenizer.json", arguments.out)
    config: dict[str, Any] = json.loads((arguments.base / "config.json").read_text("utf-8"))
    digest = hashlib.sha256((arguments.out / _MODEL).read_bytes()).hexdigest()
    config["model_id"] = f"onnx-model.int8-{digest[:_DIGEST_CHARS]}"
    (arguments.out / "config.json").write_text(json.dumps(config, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"{arguments.out}: {config['model_id']}")


def _mixed(base: Weights, trained: Weights, share: float) -> Weights:
    """Some of the old weights keep what the training data does not ask for. Raises KeyError where one is missing."""
    return {
        name: np.asarray(weight + np.float32(share) * (trained[name] - weight), np.float32)
        for name, weight in base.items()
    }


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trained", type=Path, default=Path(".venv/training/embedder.safetensors"))
    parser.add_argument("--base", type=Path, default=Path("app/weights/embedder"), help="the weights it started from")
    parser.add_argument("--share", type=float, default=0.85, help="of the trained weights; the rest is the base's")
    parser.add_argument("--out", type=Path, default=Path(".venv/training/embedder"))
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
