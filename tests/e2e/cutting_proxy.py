"""A bad connection: passes bytes on, and breaks every answer stream after a random number of them."""

import random
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

_RESET = struct.pack("ii", 1, 0)  # closing then sends RST, as a vanished peer would
_STREAMS = (b"POST /v1/widget/messages/stream ", b"GET /v1/widget/turns/")
_METHODS = (b"GET ", b"POST ", b"OPTIONS ", b"DELETE ", b"HEAD ")
_BETTER_BYTES = 500


class CuttingProxy:
    """`cuts` counts the broken streams. The first may send up to `most_bytes`, each further one some more, some none at
    all; whoever resumes gets on, as the rest is shorter each time."""

    def __init__(self, target: str, seed: int, most_bytes: int) -> None:
        place = urlsplit(target)
        self._target = (place.hostname or "", place.port or 0)
        self._random = random.Random(seed)
        self._most_bytes = most_bytes
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self.cuts = 0
        self.base = f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    @contextmanager
    def running(self) -> Iterator["CuttingProxy"]:
        accepting = threading.Thread(target=self._accept, daemon=True)
        accepting.start()
        try:
            yield self
        finally:
            self._listening.shutdown(socket.SHUT_RDWR)
            self._listening.close()
            accepting.join(10)
            with self._lock:
                for each in self._open:
                    with suppress(OSError):
                        each.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        server = socket.create_connection(self._target, 10)
        server.settimeout(None)
        with self._lock:
            self._open |= {client, server}
        line = _Line(client, server)
        upward = threading.Thread(target=self._pass_questions, args=(line,), daemon=True)
        upward.start()
        self._pass_answers(line)
        upward.join()
        with self._lock:
            self._open -= {client, server}
        client.close()
        server.close()

    def _pass_questions(self, line: "_Line") -> None:
        with suppress(OSError):
            while chunk := line.client.recv(65536):
                if chunk.startswith(_STREAMS) and b"/stream " in chunk[:200]:
                    with self._lock:
                        line.left = self._budget()
                elif chunk.startswith(_METHODS):
                    line.left = None
                line.server.sendall(chunk)
        line.hang_up()

    def _pass_answers(self, line: "_Line") -> None:
        with suppress(OSError):
            while chunk := line.server.recv(65536):
                if line.left is not None and line.left < len(chunk):
                    line.client.sendall(chunk[: line.left])
                    with self._lock:
                        self.cuts += 1
                    line.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                    break
                if line.left is not None:
                    line.left -= len(chunk)
                line.client.sendall(chunk)
        line.hang_up()

    def _budget(self) -> int:
        """More after each cut: an event that is longer than what passes at first comes through in the end."""
        better = _BETTER_BYTES * self.cuts
        return 0 if self._random.random() < 0.15 else self._random.randint(600 + better, self._most_bytes + better)


class _Line:
    """One connection in two halves. `left` bytes of the answer may still pass; None for all."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client = client
        self.server = server
        self.left: int | None = None

    def hang_up(self) -> None:
        for half in (self.client, self.server):
            with suppress(OSError):
                half.shutdown(socket.SHUT_RDWR)
