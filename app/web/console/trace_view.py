"""The results and stages of a search, for the console's tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A found chunk. `confidence` in [0, 1] is compared with the threshold; `is_source` is None if unknown."""

    url: str
    title: str
    confidence: float
    cosine: float | None
    bm25: float | None
    logit: float | None
    is_source: bool | None = None


@dataclass(frozen=True, slots=True)
class StageRow:
    name: str
    milliseconds: float
    facts: str


def found_by_turn(trace: Mapping[str, Any]) -> list[FoundRow]:
    return [
        FoundRow(row["url"], row["title"], row["calibrated"], row["cosine"], row["bm25"], row.get("logit"))
        for row in trace.get("ranked", ())
    ]


def found_by_search(trace: Mapping[str, Any], at_most: int) -> list[FoundRow]:
    """At most `at_most` chunks of a search, from `SearchReport.as_json`."""
    return [
        FoundRow(
            row["url"], row["title"], row["confidence"], row["cosine"], row["bm25"], row["logit"], row["is_source"]
        )
        for row in trace["chunks"][:at_most]
    ]


def stages_of(trace: Mapping[str, Any]) -> list[StageRow]:
    """The stages with their facts as text, without the ids of the top chunks."""
    return [
        StageRow(
            str(stage.get("stage", "")),
            float(stage.get("ms", 0.0)),
            ", ".join(
                f"{name.replace('_', ' ')} {value}"
                for name, value in stage.items()
                if name not in ("stage", "ms", "head") and isinstance(value, str | int | float)
            ),
        )
        for stage in trace.get("stages", ())
    ]
