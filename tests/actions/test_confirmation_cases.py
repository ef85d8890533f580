"""Values that a model may be made to propose: what the visitor sees is what is sent, or nobody is asked."""

import json
from dataclasses import replace

import pytest

from app.actions.action_request import proposed_change
from app.core.tool_arguments import WrongArguments, read_arguments
from tests.actions.test_action import CHANGE
from tests.cases.case_rows import Row, load_rows, parameters, require_known

FIELDS = frozenset({"id", "technique", "value", "is_shown", "why", "source", "licence"})
ACTION = replace(
    CHANGE,
    url="https://api.shop.example/cancellations",
    parameters={"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]},
)


@pytest.mark.parametrize("row", parameters(load_rows("action_confirmations.jsonl")))
def test_what_is_shown_is_what_is_sent(row: Row) -> None:
    require_known(row, FIELDS)
    written = json.dumps({"order": row["value"]})
    if not row["is_shown"]:
        with pytest.raises(WrongArguments):
            proposed_change(ACTION, read_arguments(ACTION.parameters, written), {})
        return
    change = proposed_change(ACTION, read_arguments(ACTION.parameters, written), {})
    assert [each.value for each in change.shown] == [row["value"]]
    assert json.loads(change.body or "") == {"order": row["value"]}
    assert change.summary == f"Cancel order {row['value']}?"
