"""Configuration values as JSON, across versions of the code."""

import json
from datetime import UTC, date, datetime
from uuid import UUID

from app.agents.agent import AgentConfig
from app.agents.retrieval_settings import FusionMethod, RerankMode, RetrievalSettings
from app.agents.widget_settings import Theme
from app.core.search_filter import SearchFilter
from app.sources import kinds
from app.sources.deletions.deletion import DeletedKind, Deletion, DeletionState, StoreCounts
from app.sources.deletions.records import DELETIONS
from app.sources.source import Source, SourceConfig
from app.store.schema import config_from_json, config_to_json, row_of
from app.store.tables.knowledge import SOURCES

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


def test_what_an_old_row_lacks_has_its_default() -> None:
    assert config_from_json(AgentConfig, {"name": "Ada", "retrieval": {"rrf_k": 30}}) == AgentConfig(
        name="Ada", retrieval=RetrievalSettings(rrf_k=30)
    )


def test_what_the_code_no_longer_knows_is_dropped() -> None:
    stored = {"name": "Ada", "mood": "sunny", "theme": {"font": "serif", "position": "left"}}
    assert config_from_json(AgentConfig, stored) == AgentConfig(name="Ada", theme=Theme(position="left"))


def test_a_row_has_the_fields_that_are_columns_of_it() -> None:
    source = Source(UUID(int=1), UUID(int=2), SourceConfig(kinds.SITE, "Docs"), datetime(2026, 1, 31, tzinfo=UTC))
    row = row_of(source, SOURCES)
    assert row["config"]["name"] == "Docs"
    assert (row["id"], row["created_at"]) == (source.id, source.created_at), "columns know ids and moments themselves"
    assert set(row) <= set(SOURCES.columns.keys())


def test_what_lies_in_a_row_as_json_is_json() -> None:
    gone = Deletion(
        *(UUID(int=1), UUID(int=2), UUID(int=3), DeletedKind.SOURCE, UUID(int=4), "Docs", DeletionState.PENDING),
        *(StoreCounts(documents=1), StoreCounts(), datetime(2026, 1, 31, tzinfo=UTC), None, (UUID(int=5),)),
    )
    row = row_of(gone, DELETIONS)
    assert row["state"] == "pending"
    assert json.loads(json.dumps([row["before"], row["version_ids"]]))[1] == [str(UUID(int=5))]
