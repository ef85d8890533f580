"""Models as every test opens them: what one test has read from a file is used by the next.

A server loads its models once. A test opens an application of its own, and would load them anew each time.
"""

from collections.abc import Callable
from functools import cache, cached_property, lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from app.providers import onnx_session
from app.providers.embedding.glosses import GlossList

_load_onnxruntime = onnx_session.load_onnxruntime
_read_lines = cast("cached_property[list[bytes]]", vars(GlossList)["_lines"]).func


def remember_weights() -> None:
    """Of all sessions and word lists that this process opens from now on."""
    onnx_session.load_onnxruntime = cast(Callable[[], Any], _remembering_onnxruntime)
    lines = cached_property(lambda words: _lines(words._path))
    lines.__set_name__(GlossList, "_lines")
    GlossList._lines = lines  # type: ignore[assignment]


@cache
def _remembering_onnxruntime() -> SimpleNamespace:
    onnxruntime = _load_onnxruntime()
    sessions: dict[tuple[str, int], Any] = {}

    def opened(file: str, options: Any, **more: Any) -> Any:
        key = (file, options.intra_op_num_threads)
        if key not in sessions:
            sessions[key] = onnxruntime.InferenceSession(file, options, **more)
        return sessions[key]

    return SimpleNamespace(SessionOptions=onnxruntime.SessionOptions, InferenceSession=opened)


@lru_cache(8)  # of some 5 MB each
def _lines(path: Path) -> list[bytes]:
    return _read_lines(GlossList(path, ""))
