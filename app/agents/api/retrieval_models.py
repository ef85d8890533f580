"""An agent's search settings, and the filter of its pages, as JSON."""

from pydantic import Field

from app.agents.retrieval_settings import RetrievalSettings
from app.core.search_filter import SearchFilter
from app.core.setting import limits_of
from app.web.derived_fields import setting_fields
from app.web.model import Day, Model


class SearchFilterModel(
    Model, takes=SearchFilter, fields="sources path_prefixes languages dated_from dated_to attributes"
):
    dated_from: Day | None = Field(default=None, description=limits_of(SearchFilter)["dated_from"].meaning)
    dated_to: Day | None = Field(default=None, description=limits_of(SearchFilter)["dated_to"].meaning)

    def value(self) -> SearchFilter:
        return self.made(SearchFilter)


class RetrievalModel(Model, adds=setting_fields(RetrievalSettings)):
    """The agent's search settings. docs/search.md explains and measures them."""

    filter: SearchFilterModel = Field(default_factory=SearchFilterModel)
