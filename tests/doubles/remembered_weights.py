"""Models as every test opens them: what one test has read from a file, or from a model, is used by the next.

A server loads its models once, and reads a page once. A test opens an application of its own, and would load them and
read the demonstration site anew each time. Test processes that run beside each other share what the models gave.
"""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from app.providers import onnx_session
from app.providers.embedding.glosses import GlossList

_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")
_MOST_RUNS: Final = 20_000  # of some 3 KB
_MOST_RUNS_WITH_TOKENS: Final = 500  # of some 100 KB

_shared: list[Path] = []
_load_onnxruntime = onnx_session.load_onnxruntime
_read_lines = cast("cached_property[list[bytes]]", vars(GlossList)["_lines"]).func


def remember_weights() -> None:
    """Of all sessions and word lists that this process opens from now on."""
    onnx_session.load_onnxruntime = cast(Callable[[], Any], _remembering_onnxruntime)
    lines = cached_property(lambda words: _lines(words._path))
    lines.__set_name__(GlossList, "_lines")
    GlossList._lines = lines  # type: ignore[assignment]


def share_runs(folder: Path) -> None:
    """Of all sessions of this process, with all processes that share the same folder."""
    folder.mkdir(exist_ok=True)
    _shared[:] = [folder]


@cache
def _remembering_onnxruntime() -> SimpleNamespace:
    onnxruntime = _load_onnxruntime()
    sessions: dict[tuple[str, int], _RememberingSession] = {}

    def opened(file: str, options: Any, **more: Any) -> Any:
        key = (file, options.intra_op_num_threads)
        if key not in sessions:
            sessions[key] = _RememberingSession(file, onnxruntime.InferenceSession(file, options, **more))
        return sessions[key]

    return SimpleNamespace(SessionOptions=onnxruntime.SessionOptions, InferenceSession=opened)


class _RememberingSession:
    """One row has one output, because a row is run by itself."""

    def __init__(self, file: str, session: Any) -> None:
        def run(names: tuple[str, ...], *rows: bytes) -> list[npt.NDArray[np.float32]]:
            inputs = {name: np.frombuffer(row, np.int64)[None] for name, row in zip(_INPUTS, rows, strict=True)}
            outputs: list[npt.NDArray[np.float32]] = session.run(list(names), inputs)
            for output in outputs:
                output.flags.writeable = False  # the next reader gets the same one
            return outputs

        def shared_run(*asked: Any) -> list[npt.NDArray[np.float32]]:
            if not _shared:
                return run(*asked)
            kept = _shared[0] / f"{blake2b(repr((file, asked)).encode(), digest_size=20).hexdigest()}.npy"
            if not kept.exists():
                [output] = run(*asked)
                part = kept.with_suffix(f".{os.getpid()}.{threading.get_ident()}.npy")
                np.save(part, output)
                part.replace(kept)
            return [np.load(kept)]

        self._run = lru_cache(_MOST_RUNS)(shared_run)
        self._run_with_tokens = lru_cache(_MOST_RUNS_WITH_TOKENS)(run)

    def run(self, names: Sequence[str], inputs: Mapping[str, npt.NDArray[np.int64]]) -> list[npt.NDArray[np.float32]]:
        run = self._run if len(names) == 1 else self._run_with_tokens
        return run(tuple(names), *(inputs[name].tobytes() for name in _INPUTS))


@lru_cache(8)  # of some 5 MB each
def _lines(path: Path) -> list[bytes]:
    return _read_lines(GlossList(path, ""))
