"""The transport against a server that writes exactly the bytes of a test."""

import asyncio
import gzip
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import httpx2
import pytest

from app.providers.httptools_transport import HttptoolsTransport

Play = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\n"


class Server:
    """Plays one connection after the other, the last play ever after."""

    def __init__(self) -> None:
        self.plays: list[Play] = []
        self.heads: list[bytes] = []
        self.connections = 0
        self.url = ""

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        play = self.plays[min(self.connections, len(self.plays) - 1)]
        self.connections += 1
        try:
            await play(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has left
        finally:
            writer.close()

    def says(self, *answers: Sequence[bytes], hangs: bool = False) -> None:
        """Each answer to a request of its own, each part of it a write; then the connection ends."""

        async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for parts in answers:
                head = await reader.readuntil(b"\r\n\r\n")
                self.heads.append(head)
                length = int(head.lower().split(b"content-length:")[1].split()[0])
                await reader.readexactly(length)
                for part in parts:
                    writer.write(part)
                    await writer.drain()
                    await asyncio.sleep(0)
            if hangs:
                await reader.read()

        self.plays.append(play)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = Server()
    listening = await asyncio.start_server(server.connected, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/chat"
    yield server
    listening.close()


@pytest.fixture
async def http() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(transport=HttptoolsTransport(), timeout=httpx2.Timeout(0.5)) as http:
        yield http


async def asked(http: httpx2.AsyncClient, server: Server, **options: Any) -> httpx2.Response:
    return await http.post(server.url, json={"question": "Refunds?"}, **options)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([HEAD + b"Content-Length: 9\r\n\r\n", b"Ten ", b"days."], id="a length"),
        pytest.param(
            [HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\nTen \r\n", b"5\r\nda", b"ys.\r\n0\r\nX-Sum: 1\r\n\r\n"],
            id="chunks and a trailer",
        ),
        pytest.param([HEAD + b"\r\nTen ", b"days."], id="until the connection ends"),
        pytest.param(
            [b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", HEAD + b"Content-Length: 9\r\n\r\nTen days."],
            id="an informational answer before",
        ),
        pytest.param([HEAD.replace(b"\r", b"") + b"Content-Length: 9\n\nTen days."], id="line ends of a small server"),
        pytest.param([bytes([each]) for each in HEAD + b"Content-Length: 9\r\n\r\nTen days."], id="byte by byte"),
    ],
)
async def test_an_answer_is_read_however_it_ends(
    http: httpx2.AsyncClient, server: Server, parts: Sequence[bytes]
) -> None:
    server.says(parts)
    answer = await asked(http, server)
    assert (answer.status_code, answer.text) == (200, "Ten days.")
    assert "link" not in answer.headers
    assert "x-sum" not in answer.headers


async def test_an_encoded_answer_is_decoded(http: httpx2.AsyncClient, server: Server) -> None:
    body = gzip.compress(b"Ten days.")
    server.says([HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body])
    assert (await asked(http, server)).text == "Ten days."


async def test_the_request_is_written_as_it_is(http: httpx2.AsyncClient, server: Server) -> None:
    server.says([HEAD + b"Content-Length: 0\r\n\r\n"])
    await asked(http, server, headers={"Authorization": "Bearer k"}, params={"a": "b c"})
    line, *headers = server.heads[0].decode().strip().split("\r\n")
    assert line == "POST /chat?a=b+c HTTP/1.1"
    assert {"Authorization: Bearer k", f"Host: {httpx2.URL(server.url).netloc.decode()}"} <= set(headers)


async def test_a_header_cannot_hold_another(http: httpx2.AsyncClient, server: Server) -> None:
    server.says([HEAD + b"Content-Length: 0\r\n\r\n"])
    with pytest.raises(httpx2.LocalProtocolError):
        await asked(http, server, headers={"X-A": "b\r\nX-C: d"})
    assert server.connections == 0


async def test_a_connection_is_used_again_after_a_whole_answer_alone(http: httpx2.AsyncClient, server: Server) -> None:
    whole = [HEAD + b"Content-Length: 3\r\n\r\nTen"]
    server.says(whole, whole, [HEAD + b"Content-Length: 9\r\n\r\nTen"], hangs=True)
    server.says(whole)
    for _ in range(2):
        assert (await asked(http, server)).text == "Ten"
    async with http.stream("POST", server.url, json={}) as answer:
        assert await anext(answer.aiter_bytes()) == b"Ten"
    assert server.connections == 1
    assert (await asked(http, server)).text == "Ten"
    assert server.connections == 2


async def test_a_connection_that_was_closed_meanwhile_is_not_used(http: httpx2.AsyncClient, server: Server) -> None:
    server.says([HEAD + b"Connection: close\r\nContent-Length: 3\r\n\r\nTen"])
    for connections in (1, 2):
        assert (await asked(http, server)).text == "Ten"
        assert server.connections == connections


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ([], httpx2.RemoteProtocolError),
        ([b"oops\r\n\r\n"], httpx2.RemoteProtocolError),
        ([HEAD], httpx2.RemoteProtocolError),
        ([HEAD + b"Content-Length: 9\r\n\r\nTen"], httpx2.RemoteProtocolError),
        ([HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"], httpx2.RemoteProtocolError),
        ([HEAD + b"X-Long: " + b"x" * 200_000], httpx2.RemoteProtocolError),
    ],
    ids=["nothing", "no HTTP", "half a head", "half a body", "no chunk", "a head without an end"],
)
async def test_what_is_no_answer_is_an_error_of_the_protocol(
    http: httpx2.AsyncClient, server: Server, parts: Sequence[bytes], error: type[Exception]
) -> None:
    server.says(parts)
    with pytest.raises(error):
        await asked(http, server)


@pytest.mark.parametrize("parts", [[], [HEAD], [HEAD + b"Content-Length: 9\r\n\r\nTen"]])
async def test_silence_ends_in_time(http: httpx2.AsyncClient, server: Server, parts: Sequence[bytes]) -> None:
    server.says(parts, hangs=True)
    with pytest.raises(httpx2.ReadTimeout):
        await asked(http, server)


async def test_silence_is_counted_from_the_last_read(http: httpx2.AsyncClient, server: Server) -> None:
    async def slowly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"Content-Length: 8\r\n\r\n")
        for _ in range(8):
            await asyncio.sleep(0.12)
            writer.write(b"x")

    server.plays.append(slowly)
    assert (await asked(http, server)).text == "x" * 8


async def test_a_server_that_is_not_there_cannot_be_connected_to(http: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.ConnectError):
        await http.get("http://127.0.0.1:9/")


async def test_another_kind_of_address_is_refused(http: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.UnsupportedProtocol):
        await http.get("gopher://127.0.0.1/")


async def test_an_address_that_leads_nowhere_delays_nobody_for_long(
    http: httpx2.AsyncClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.says([HEAD + b"Content-Length: 3\r\n\r\nTen"])
    port = httpx2.URL(server.url).port
    loop, dial = asyncio.get_running_loop(), asyncio.get_running_loop().sock_connect

    async def two_addresses(*asked: Any, **options: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ("192.0.2.1", "127.0.0.1")]

    async def into_nothing(dialling: socket.socket, address: Any) -> None:
        if address[0] == "192.0.2.1":
            await asyncio.Event().wait()
        await dial(dialling, address)

    monkeypatch.setattr(loop, "getaddrinfo", two_addresses)
    monkeypatch.setattr(loop, "sock_connect", into_nothing)
    assert (await asked(http, server)).text == "Ten"


async def test_a_reader_that_takes_its_time_holds_the_sender_back(http: httpx2.AsyncClient, server: Server) -> None:
    is_held = asyncio.Event()

    async def much(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"Content-Length: 100000000\r\n\r\n")
        for _ in range(100):
            writer.write(b"x" * 1_000_000)
            sending = asyncio.create_task(writer.drain())
            if not (await asyncio.wait([sending], timeout=0.2))[0]:
                is_held.set()
            await sending

    server.plays.append(much)
    async with http.stream("GET", server.url) as answer:
        reads = answer.aiter_bytes()
        got = len(await anext(reads))
        async with asyncio.timeout(10):
            await is_held.wait()
        async for read in reads:
            got += len(read)
    assert got == 100_000_000
