"""Arguments that a model may be made to write: each leads to the address that the operator meant, or nowhere."""

from dataclasses import replace

import pytest

from app.actions.action import Action
from app.actions.action_request import request_of
from app.core.tool_arguments import WrongArguments, read_arguments
from tests.actions.test_action import ACTION
from tests.cases.case_rows import Row, load_rows, parameters, require_known

FIELDS = frozenset({"id", "url", "arguments", "sent", "why", "source", "licence"})
SCHEMA = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}


def sent(action: Action, written: str) -> str:
    return request_of(action, read_arguments(action.parameters, written), {}).url


@pytest.mark.parametrize("row", parameters(load_rows("action_arguments.jsonl")))
def test_the_address_is_the_operators(row: Row) -> None:
    require_known(row, FIELDS)
    action = replace(ACTION, url=row["url"], parameters=SCHEMA)
    if row["sent"] is None:
        with pytest.raises(WrongArguments):
            sent(action, row["arguments"])
    else:
        assert sent(action, row["arguments"]) == row["sent"]
