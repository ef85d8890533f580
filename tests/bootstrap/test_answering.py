"""Which of the configured chat models does what."""

from pathlib import Path

from app.bootstrap.answering import search_parts
from app.bootstrap.infrastructure import open_infrastructure
from app.settings import read_settings
from tests.doubles.scripted_chat_model import ScriptedChatModel


async def test_search_asks_the_cheaper_model_where_there_is_one(tmp_path: Path) -> None:
    model, helper = ScriptedChatModel(), ScriptedChatModel()
    async with open_infrastructure(read_settings(data=tmp_path)) as base:
        assert search_parts(base, model, helper).helper is helper
        assert search_parts(base, model).helper is model
        assert search_parts(base, None).helper is None
