"""Reads the weights of a shipped int8 ONNX file as floats, and writes others into the same graph."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

Weights = dict[str, npt.NDArray[np.float32]]
"""By the names of all-MiniLM-L6-v2; matrices as PyTorch keeps them, (out, in)."""

_INT8_MOST: Final = 127
_PREFIX: Final = "m."
_QUANTISED: Final = "_quantized"
_TRANSPOSED: Final = "_Transposed"
_LAYER: Final = re.compile(r"layer\.(\d+)/(\w+)/")
_NODE_PARTS: Final = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "dense": "attention.output.dense",
    "dense_1": "intermediate.dense",
    "dense_2": "output.dense",
}


@dataclass(frozen=True, slots=True)
class _Stored:
    """Where a weight lies: `base` is the name of its initialiser, without `_quantized` where it `is_int8`. A matrix
    of a MatMul `is_turned`, (in, out) with a scale for each output."""

    name: str
    base: str
    is_int8: bool
    is_turned: bool


def read_weights(file: Path) -> Weights:
    model = onnx.load(str(file))
    arrays = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    return {stored.name: _read(stored, arrays) for stored in _stored(model, arrays)}


def write_weights(weights: Mapping[str, npt.NDArray[np.float32]], graph_of: Path, file: Path) -> None:
    """Write `file`, which is `graph_of` with other weights: int8 where those were, symmetric, a scale for each output
    of a matrix, as `onnxruntime.quantization.quantize_dynamic` does it. A table that is looked up, such as that of the
    words, is kept as it was where it has not changed."""
    model = onnx.load(str(graph_of))
    arrays = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    changed: dict[str, npt.NDArray[Any]] = {}
    for stored in _stored(model, arrays):
        weight = weights[stored.name]
        if stored.is_int8 and np.array_equal(weight, _read(stored, arrays)):
            continue
        changed |= _quantised(stored, weight, arrays) if stored.is_int8 else {stored.base: weight}
    for initialiser in model.graph.initializer:
        if initialiser.name in changed:
            kept = changed[initialiser.name].astype(arrays[initialiser.name].dtype)
            initialiser.CopyFrom(numpy_helper.from_array(kept, initialiser.name))
    onnx.save(model, str(file))


def _stored(model: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Iterator[_Stored]:
    matrices = set[str]()
    for node in model.graph.node:
        if node.op_type == "MatMulInteger":
            matrix = next(each for each in node.input if each.endswith(_QUANTISED) and each in arrays)
            base = matrix.removesuffix(_QUANTISED)
            matrices.add(matrix)
            yield _Stored(_matrix_name(node.name, base), base, is_int8=True, is_turned=True)
    for name, array in arrays.items():
        if name.startswith(_PREFIX) and name.endswith(_QUANTISED) and name not in matrices:
            base = name.removesuffix(_QUANTISED)
            yield _Stored(base.removeprefix(_PREFIX), base, is_int8=True, is_turned=False)
        elif name.startswith(_PREFIX) and array.dtype == np.float32 and not name.endswith("_scale"):
            yield _Stored(name.removeprefix(_PREFIX), name, is_int8=False, is_turned=False)


def _matrix_name(node: str, base: str) -> str:
    """Those of the layers have numbers for names, so their node tells what they are; those of a head have their own."""
    if place := _LAYER.search(node):
        return f"encoder.layer.{place[1]}.{_NODE_PARTS[place[2]]}.weight"
    return base.removeprefix(_PREFIX).removesuffix(_TRANSPOSED)


def _read(stored: _Stored, arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
    if not stored.is_int8:
        return arrays[stored.base].astype(np.float32)
    zero, scale = (arrays[f"{stored.base}_{part}"].astype(np.float32) for part in ("zero_point", "scale"))
    weight: npt.NDArray[np.float32] = (arrays[stored.base + _QUANTISED].astype(np.float32) - zero) * scale
    return np.ascontiguousarray(weight.T) if stored.is_turned else weight


def _quantised(
    stored: _Stored, weight: npt.NDArray[np.float32], arrays: Mapping[str, npt.NDArray[Any]]
) -> dict[str, npt.NDArray[Any]]:
    """The three initialisers of one weight, whose types say whether a table is signed."""
    matrix = weight.T if stored.is_turned else weight
    zero = arrays[f"{stored.base}_zero_point"]
    if stored.is_turned:
        scale = np.abs(matrix).max(axis=0) / np.float32(_INT8_MOST)
        whole = np.clip(np.rint(matrix / scale), -_INT8_MOST, _INT8_MOST)
        return {
            f"{stored.base}_scale": scale,
            f"{stored.base}_zero_point": np.zeros_like(zero),
            stored.base + _QUANTISED: whole,
        }
    least, most = min(0.0, float(matrix.min())), max(0.0, float(matrix.max()))
    scale_of_table = np.float32((most - least) / 255)
    from_zero = np.rint(-least / scale_of_table)
    return {
        f"{stored.base}_scale": np.asarray(scale_of_table),
        f"{stored.base}_zero_point": np.asarray(from_zero),
        stored.base + _QUANTISED: np.clip(np.rint(matrix / scale_of_table) + from_zero, 0, 255),
    }
