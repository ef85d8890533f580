"""Commands ask the server that runs on their data folder."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

from app.cli.serving.server_socket import ServerRefused, replies_of_server, serving_commands
from app.core.errors import InvalidInput, Unavailable


async def counting(question: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    for number in range(question["to"]):
        yield {"number": number}
    if question.get("fails") == "input":
        raise InvalidInput("", "There is no agent.")
    if question.get("fails") == "model":
        raise Unavailable("The model is away.")
    if question.get("fails") == "bug":
        raise TypeError


async def heard(data: Path, question: dict[str, Any]) -> list[dict[str, Any]] | None:
    def ask() -> list[dict[str, Any]] | None:
        replies = replies_of_server(data, question)
        return None if replies is None else list(replies)

    return await to_thread.run_sync(ask)


async def test_replies_come_line_by_line_until_the_end(tmp_path: Path) -> None:
    async with serving_commands(tmp_path, counting) as is_asked:
        assert is_asked
        assert await heard(tmp_path, {"to": 3}) == [{"number": 0}, {"number": 1}, {"number": 2}]
        assert await heard(tmp_path, {"to": 0}) == []


@pytest.mark.parametrize(
    ("fails", "code", "message"),
    [("input", 2, "There is no agent."), ("model", 1, "The model is away."), ("bug", 1, "stopped answering")],
)
async def test_what_went_wrong_ends_the_command_as_it_would_have_ended_by_itself(
    tmp_path: Path, fails: str, code: int, message: str
) -> None:
    async with serving_commands(tmp_path, counting):
        with pytest.raises(ServerRefused, match=message) as refused:
            await heard(tmp_path, {"to": 1, "fails": fails})
    assert refused.value.code == code


async def test_without_a_server_nobody_is_asked(tmp_path: Path) -> None:
    assert await heard(tmp_path, {"to": 1}) is None
    async with serving_commands(tmp_path, counting):
        pass
    assert await heard(tmp_path, {"to": 1}) is None


async def test_the_socket_that_a_killed_server_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "serve.sock").touch()
    async with serving_commands(tmp_path, counting) as is_asked:
        assert is_asked
        assert await heard(tmp_path, {"to": 1}) == [{"number": 0}]


async def test_a_second_server_leaves_the_socket_to_the_first(tmp_path: Path) -> None:
    async with serving_commands(tmp_path, counting):
        async with serving_commands(tmp_path, counting) as is_asked:
            assert not is_asked
        assert await heard(tmp_path, {"to": 1}) == [{"number": 0}]


async def test_a_path_that_no_socket_can_have_is_served_without_one(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 120)
    deep.mkdir()
    async with serving_commands(deep, counting) as is_asked:
        assert not is_asked
    assert await heard(deep, {"to": 1}) is None
