"""Search settings that belong together, to be set at once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from app.agents.agent import AgentConfig
from app.agents.retrieval_settings import ConfidenceScale, FusionMethod, RerankMode, RetrievalSettings


class PresetName(StrEnum):
    MEASURED = "measured"  # our defaults
    REFERENCE = "reference"  # ranks are fused, the reranker decides


@dataclass(frozen=True, slots=True)
class RetrievalPreset:
    """`settings` are fields of RetrievalSettings; those without an entry stay as they are."""

    confidence_threshold: float
    settings: Mapping[str, Any]

    def onto(self, config: AgentConfig) -> AgentConfig:
        return replace(
            config,
            confidence_threshold=self.confidence_threshold,
            retrieval=replace(config.retrieval, **self.settings),
        )


# Reciprocal ranks with k = 60 (Cormack et al. 2009), sigmoid(.4 x logit) as the only confidence, 6 x 3 candidates.
_REFERENCE: Final[Mapping[str, Any]] = {
    "fusion": FusionMethod.RRF,
    "rrf_k": 60,
    "vector_weight": 1.0,
    "keyword_weight": 1.0,
    "rerank": RerankMode.JUDGE,
    "rerank_candidates": 18,
    "page_boost": 0.15,
    "confidence_from": ConfidenceScale.RERANKER,
    "confidence_steepness": 2.5,
    "sources": 6,
}
_DEFAULTS: Final = RetrievalSettings()
PRESETS: Final[Mapping[PresetName, RetrievalPreset]] = {
    PresetName.MEASURED: RetrievalPreset(
        AgentConfig(name="").confidence_threshold, {name: getattr(_DEFAULTS, name) for name in _REFERENCE}
    ),
    PresetName.REFERENCE: RetrievalPreset(0.501, _REFERENCE),
}
