"""An agent's search settings, and the filter of its pages, as JSON."""

from uuid import UUID

from pydantic import Field

from app.agents import agent_rules as rules
from app.agents.retrieval_settings import RetrievalSettings
from app.core.search_filter import AttributeFilter, SearchFilter
from app.web.model import Day, Model, setting_fields, with_fields


class SearchFilterModel(Model):
    sources: tuple[UUID, ...] = Field(default=(), max_length=rules.MAX_FILTER_ENTRIES)
    path_prefixes: tuple[str, ...] = Field(
        default=(),
        description='Prefixes such as "/docs/", compared with the path of a page\'s URL, or such as '
        '"//docs.example.com/", compared with its host and path.',
        max_length=rules.MAX_FILTER_ENTRIES,
    )
    languages: tuple[str, ...] = Field(
        default=(), description='Language codes, such as "en" and "de".', max_length=rules.MAX_FILTER_ENTRIES
    )
    dated_from: Day | None = Field(default=None, description="The earliest date that a page may have.")
    dated_to: Day | None = Field(default=None, description="The latest date that a page may have.")
    attributes: tuple[AttributeFilter, ...] = Field(
        default=(),
        description="For documents that were added with attributes: for each name, a document must have one of its "
        "values.",
        max_length=rules.MAX_FILTER_ENTRIES,
    )

    def value(self) -> SearchFilter:
        return SearchFilter(**dict(self))


@with_fields(setting_fields(RetrievalSettings))
class RetrievalModel(Model):
    """The agent's search settings. docs/search.md explains and measures them."""

    filter: SearchFilterModel = Field(default_factory=SearchFilterModel)
