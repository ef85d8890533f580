"""One ONNX model of a folder (config.json, tokenizer.json and the file that the config names), opened on first use.

All of it is synchronous and belongs on `OnnxThreads`.
"""

import json
import os
import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from app.providers.token_counter import TokenizersTokenCounter

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One input: token ids with special tokens; the first `question_length` are of type 0, the rest of type 1."""

    ids: list[int]
    question_length: int

    def __len__(self) -> int:
        return len(self.ids)


def load_onnxruntime() -> ModuleType:
    """Loads the library with its telemetry off: its Linux wheels look up a host of the vendor, and keep a device id and
    a database of events in the home folder, as soon as it is loaded. It reads the variable only then, so no other
    module may import it."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    loaded: ModuleType = onnxruntime
    return loaded


# Fusing the sum with the normalisation after it costs a tenth of a run: the fused kernel is no vector code.
_SLOWER: Final = ["SkipLayerNormFusion"]


class OnnxSession:
    """Runs token rows through the model, one at a time and on the calling thread: several threads for one run cost more
    than they save."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tokens = TokenizersTokenCounter(folder)
        self._opening = threading.Lock()
        self._session: Any = None

    @cached_property
    def config(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))
        return loaded

    @property
    def is_open(self) -> bool:
        return self._session is not None

    def open(self) -> None:
        """Load tokenizer and weights now rather than with the first input."""
        with self._opening:
            if self._session is not None:
                return
            onnxruntime = load_onnxruntime()
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 3
            self.tokens.tokenizer.encode("")
            self._session = onnxruntime.InferenceSession(
                str(self.folder / self.config["file"]),
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=_SLOWER,
            )

    def run(self, row: TokenRow) -> Floats:
        """The model's output for the input."""
        [output] = self._outputs(row, self.config["output"])
        return output

    def run_tokens(self, row: TokenRow) -> tuple[Floats, Floats]:
        """The model's output, and one row per token, including special ones."""
        output, states = self._outputs(row, self.config["output"], self.config["token_output"])
        return output, states

    def _outputs(self, row: TokenRow, *names: str) -> list[Floats]:
        self.open()
        ids = np.array([row.ids], dtype=np.int64)
        types = np.zeros_like(ids)
        types[0, row.question_length :] = 1
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        return [output[0] for output in self._session.run(list(names), inputs)]

    def special_id(self, token: str) -> int:
        number = self.tokens.tokenizer.token_to_id(token)
        if number is None:
            raise ValueError(f"{self.folder / 'tokenizer.json'} has no token {token}")
        return number
