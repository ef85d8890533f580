"""A Unix socket in the data folder, over which commands send questions to the running server.

A command sends one line of JSON. The server replies with lines of JSON, of which the last is {"ended": true} or
{"refused", "code"}. The socket needs no password: only the folder's owner can open it, who can read the data anyway.
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from app.core.errors import DocentError, InvalidInput, NotFound

_NAME: Final = "serve.sock"
_SILENCE_SECONDS: Final = 120.0

Reply = Callable[[dict[str, Any]], AsyncIterator[dict[str, Any]]]


class ServerRefused(Exception):
    """The server refused the request. `str(error)` is the reason, `code` the exit code for the command."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


@asynccontextmanager
async def serving_commands(data: Path, reply: Reply) -> AsyncIterator[bool]:
    """Serve commands with `reply` while the block runs. Yields False if that is not possible: another server of the
    folder does so already, or the folder's path is too long for a socket."""
    path = data / _NAME
    other = _connected(path)
    if other is not None:
        other.close()
        yield False
        return
    path.unlink(missing_ok=True)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _reply(json.loads(await reader.readline()), reply, writer)
        except (ConnectionError, KeyError, TypeError, ValueError):
            pass  # the command has ended, or sent no valid question
        finally:
            writer.close()

    try:
        server = await asyncio.start_unix_server(serve, path)
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        server.close()
        path.unlink(missing_ok=True)


async def _reply(question: dict[str, Any], reply: Reply, writer: asyncio.StreamWriter) -> None:
    end: dict[str, Any] = {"ended": True}
    try:
        async for line in reply(question):
            await _write(writer, line)
    except (InvalidInput, NotFound) as error:
        end = {"refused": str(error), "code": 2}
    except DocentError as error:
        end = {"refused": str(error), "code": 1}
    await _write(writer, end)


async def _write(writer: asyncio.StreamWriter, line: Mapping[str, Any]) -> None:
    writer.write(json.dumps(line, default=str).encode() + b"\n")
    await writer.drain()


def replies_of_server(data: Path, question: Mapping[str, Any]) -> Iterator[dict[str, Any]] | None:
    """The server's replies, or None if no server runs on the folder. Iterating raises ServerRefused if the server
    refuses the question or stops answering."""
    connection = _connected(data / _NAME)
    if connection is None:
        return None
    connection.settimeout(_SILENCE_SECONDS)
    connection.sendall(json.dumps(question).encode() + b"\n")
    return _lines(connection)


def _lines(connection: socket.socket) -> Iterator[dict[str, Any]]:
    with connection, connection.makefile("rb") as lines:
        for line in lines:
            message: dict[str, Any] = json.loads(line)
            if "refused" in message:
                raise ServerRefused(message["refused"], message["code"])
            if "ended" in message:
                return
            yield message
    raise ServerRefused("The server stopped answering. Ask again.", 1)


def _connected(path: Path) -> socket.socket | None:
    if not hasattr(socket, "AF_UNIX"):
        return None
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        return None
    return connection
