"""An agent's search settings, and the filter of its pages, as JSON."""

from pydantic import Field

from app.agents.agent_rules import check_filter
from app.agents.retrieval_settings import RetrievalSettings
from app.core.search_filter import SearchFilter
from app.web.derived_fields import setting_fields
from app.web.model import Model


class SearchFilterModel(
    Model, takes=SearchFilter, fields="sources path_prefixes languages dated_from dated_to attributes"
):
    def checked(self) -> SearchFilter:
        """Raises InvalidInput for fields below `filter`."""
        only = self.made(SearchFilter)
        check_filter("filter", only)
        return only


class RetrievalModel(Model, adds=setting_fields(RetrievalSettings)):
    """The agent's search settings. docs/search.md explains and measures them."""

    filter: SearchFilterModel = Field(default_factory=SearchFilterModel)
