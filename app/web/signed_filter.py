"""The filter that a website's server signs for a visitor: from the body of init into the visitor token and back."""

from typing import Final

from pydantic import ValidationError

from app.agents.agent_rules import check_filter
from app.agents.api.retrieval_models import SearchFilterModel
from app.core.errors import InvalidInput
from app.core.search_filter import SearchFilter
from app.web.validation_messages import invalid_input_of

MAX_FILTER_BYTES: Final = 1000  # the token carries it, in a header of every call


def parsed_filter(text: str) -> SearchFilter:
    """`text` is a JSON object with the fields of a search filter. Raises InvalidInput, naming the field."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_FILTER_BYTES:
        raise InvalidInput("filter", f"This is too long. Keep it to {MAX_FILTER_BYTES} bytes of UTF-8.")
    try:
        only = SearchFilterModel.model_validate_json(text).value()
    except ValidationError as error:
        wrong = invalid_input_of(error)
        field = f"filter.{wrong.field}" if wrong.field else "filter"
        raise InvalidInput(field, str(wrong).removeprefix(f"{wrong.field}: ")) from None
    check_filter("filter", only)
    return only


def filter_text(only: SearchFilter) -> str:
    """What `parsed_filter` reads."""
    return SearchFilterModel.model_validate(only).model_dump_json(exclude_defaults=True)
