"""Configuration values as JSON, across versions of the code."""

import json
from datetime import date
from uuid import UUID

from app.agents.agent import AgentConfig, Theme
from app.agents.retrieval_settings import FusionMethod, RerankMode, RetrievalSettings
from app.core.search_filter import SearchFilter
from app.sources.source import SourceConfig, SourceKind
from app.store.codec import config_from_json, config_to_json

_AGENT = AgentConfig(
    name="Ada",
    avoid_topics=("politics", "weather"),
    language="de",
    allowed_origins=("https://docs.example",),
    theme=Theme(primary_color="#112233", radius_px=4),
    retrieval=RetrievalSettings(
        fusion=FusionMethod.RRF,
        rerank=RerankMode.OFF,
        rrf_k=30,
        filter=SearchFilter(sources=(UUID(int=7),), path_prefixes=("/docs/",), dated_from=date(2026, 1, 31)),
    ),
)


def test_a_configuration_survives_the_way_through_json() -> None:
    stored = json.loads(json.dumps(config_to_json(_AGENT)))
    assert config_from_json(AgentConfig, stored) == _AGENT


def test_a_source_survives_it_too() -> None:
    source = SourceConfig(SourceKind.SITE, "Docs", "https://docs.example/", include=("/a/*", "/b"))
    assert config_from_json(SourceConfig, json.loads(json.dumps(config_to_json(source)))) == source


def test_what_an_old_row_lacks_has_its_default() -> None:
    assert config_from_json(AgentConfig, {"name": "Ada", "retrieval": {"rrf_k": 30}}) == AgentConfig(
        name="Ada", retrieval=RetrievalSettings(rrf_k=30)
    )


def test_what_the_code_no_longer_knows_is_dropped() -> None:
    stored = {"name": "Ada", "mood": "sunny", "theme": {"font": "serif", "position": "left"}}
    assert config_from_json(AgentConfig, stored) == AgentConfig(name="Ada", theme=Theme(position="left"))
