"""The weights that the models start from, by the names that they are published with."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import torch
from safetensors.torch import load_file, save_file

from training.models.encoders import Embedder, MiniLM, MPNetCrossEncoder, Reranker
from training.models.onnx_weights import read_weights


def embedder_from(folder: Path) -> Embedder:
    """The embedder of a weights folder such as `app/weights/embedder`, int8 read back as floats."""
    embedder = Embedder()
    _load(embedder, folder, EMBEDDER_NAMES)
    return embedder


def reranker_from(folder: Path) -> Reranker:
    """The reranker of a weights folder such as `app/weights/reranker`, int8 read back as floats. Raises KeyError where
    it has fewer than 6 layers."""
    reranker = Reranker()
    _load(reranker, folder, RERANKER_NAMES)
    return reranker


def teacher_from(folder: Path) -> MPNetCrossEncoder:
    """all-mpnet-base-v2 (`model.safetensors`) with a new head."""
    encoder = MPNetCrossEncoder()
    told = load_file(str(folder / "model.safetensors"))
    state = {
        ours: told[theirs if theirs in told else f"mpnet.{theirs}"].float() for ours, theirs in _MPNET_NAMES.items()
    }
    encoder.load_state_dict(state, strict=False)
    return encoder


def save(model: MiniLM, names: Mapping[str, str], file: Path) -> None:
    """Write its weights as safetensors of 32-bit floats, by the published `names`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    save_file({names[name]: weight.float().cpu() for name, weight in model.state_dict().items()}, str(file))


def _load(model: MiniLM, folder: Path, names: Mapping[str, str]) -> None:
    told = read_weights(folder / "model.int8.onnx")
    model.load_state_dict({ours: torch.from_numpy(told[theirs]) for ours, theirs in names.items()})


def _names(parts: dict[str, str], layer_parts: dict[str, str], layers: int) -> dict[str, str]:
    """The published names of our parameters."""
    named = {
        **parts,
        **{
            f"layers.{number}.{ours}": f"encoder.layer.{number}.{theirs}"
            for number in range(layers)
            for ours, theirs in layer_parts.items()
        },
    }
    tables = {f"{ours}.weight": f"{theirs}.weight" for ours, theirs in named.items()}
    lookups = ("words", "positions", "types", "distances")
    return tables | {f"{ours}.bias": f"{theirs}.bias" for ours, theirs in named.items() if ours not in lookups}


_EMBEDDINGS: Final = {
    "words": "embeddings.word_embeddings",
    "positions": "embeddings.position_embeddings",
    "norm": "embeddings.LayerNorm",
}
_FEED_FORWARD: Final = {
    "widened": "intermediate.dense",
    "narrowed": "output.dense",
    "narrowed_norm": "output.LayerNorm",
}
_MINILM: Final = {**_EMBEDDINGS, "types": "embeddings.token_type_embeddings"}
_MINILM_LAYER: Final = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "attended_norm": "attention.output.LayerNorm",
    **_FEED_FORWARD,
}
EMBEDDER_NAMES: Final = _names(_MINILM, _MINILM_LAYER, 6)
RERANKER_NAMES: Final = _names({**_MINILM, "pool": "pooler.dense", "score": "classifier"}, _MINILM_LAYER, 6)
_MPNET_NAMES: Final = _names(
    {**_EMBEDDINGS, "distances": "encoder.relative_attention_bias"},
    {
        "query": "attention.attn.q",
        "key": "attention.attn.k",
        "value": "attention.attn.v",
        "attended": "attention.attn.o",
        "attended_norm": "attention.LayerNorm",
        **_FEED_FORWARD,
    },
    12,
)
