"""Results of actions that give orders: they stay data in the prompt, nothing more is called for them, and an answer
that obeys them leaves harmless. No model takes part: the row says what a fully captured one would write."""

import re
from pathlib import Path

import pytest

from app.core.turn_events import Token
from app.providers.chat.chat_model import ToolCall
from app.providers.http_caller import HttpReply
from tests.answers.test_action_answers import ORDER_STATUS, add_action
from tests.cases.case_rows import Row, load_rows, parameters, require_known
from tests.doubles.answering_house import answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.shop_api import ShopApi

FIELDS = frozenset(
    {"id", "technique", "language", "body", "canary", "must_keep", "obeyed_output", "must_not_show"}
    | {"source", "licence"}
)
BLOCK = re.compile(r"<source id=.*?</source>", re.DOTALL)
MARKER = re.compile(r"Confidential marker[^:]*: (\w+)")


@pytest.mark.parametrize("row", parameters(load_rows("action_results.jsonl")))
async def test_a_result_is_data_whatever_it_says(row: Row, tmp_path: Path) -> None:
    require_known(row, FIELDS)
    model = ScriptedChatModel([ORDER_STATUS], [row["obeyed_output"], ToolCall("order_status", '{"order": "B"}')])
    shop = ShopApi({"/orders/A-17": HttpReply(200, row["body"].encode())})
    async with answering_house(tmp_path, model=model, shop=shop) as house:
        add_action(house)
        events = await house.ask("Where is my order A-17?")
    _, [*_, last] = model.requests
    assert row["must_keep"] in last.content
    assert last.tools == ()
    assert len(shop.asked) == 1
    for message in model.requests[1]:
        assert row["canary"] not in BLOCK.sub("", message.content), message.role
    whole = "\n".join(message.content for message in model.requests[1])
    assert whole.count("<source ") == whole.count("</source>") == len(BLOCK.findall(whole))
    shown = "".join(event.token for event in events if isinstance(event, Token))
    marker = MARKER.search(whole)
    assert marker is not None
    assert marker[1] not in shown
    assert [each for each in row["must_not_show"] if each in shown] == []
