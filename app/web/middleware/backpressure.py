"""What happens to a connection whose client does not read what is sent to it."""

import asyncio
import socket
from asyncio import TimerHandle
from collections.abc import Callable
from typing import Final

from uvicorn.protocols.http.flow_control import FlowControl

BYTES_A_SECOND: Final = 1024  # that a client must at least read or send
_UNSENT_OPTION: Final[int | None] = getattr(socket, "TCP_NOTSENT_LOWAT", None)  # only on Linux and macOS
_UNSENT_BYTES: Final = 64 * 1024


def limit_send_buffer(transport: asyncio.Transport) -> None:
    """Limit the system's send buffer. It would accept megabytes ahead of a client, keep them for one that reads
    nothing, and hide the progress of a slow one until a third of them was sent."""
    connected: socket.socket | None = transport.get_extra_info("socket")
    if connected is not None and _UNSENT_OPTION is not None and connected.family in (socket.AF_INET, socket.AF_INET6):
        connected.setsockopt(socket.IPPROTO_TCP, _UNSENT_OPTION, _UNSENT_BYTES)


class JointFlow(FlowControl):
    """Flow control that reads nothing while it cannot write."""

    _should_read = True

    def pause_reading(self) -> None:
        self._should_read = False
        self._settle()

    def resume_reading(self) -> None:
        self._should_read = True
        self._settle()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._settle()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._settle()

    def _settle(self) -> None:
        if self._transport.is_closing():
            return
        if self._should_read and not self.write_paused:
            super().resume_reading()
        else:
            super().pause_reading()


class Timer:
    """One call to come, or none."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        return self._handle is not None

    def start(self, seconds: float, call: Callable[[], None]) -> None:
        """Call `call` in so many seconds, instead of any other call to come."""

        def fire() -> None:
            self._handle = None
            call()

        self.stop()
        self._handle = self._loop.call_later(seconds, fire)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class StallWatch:
    """Calls `stalled` once a client reads less than a KiB a second, on average over `seconds`, of what is unsent."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport, seconds: float, stalled: Callable[[], None]
    ) -> None:
        self._transport = transport
        self._timer = Timer(loop)
        self._seconds = seconds
        self._stalled = stalled
        self._unsent = 0  # bytes when the period began

    def start(self) -> None:
        """Begin a period now, if anything is unsent."""
        self._unsent = self._transport.get_write_buffer_size()
        if self._unsent:
            self._timer.start(self._seconds, self._judge)
        else:
            self._timer.stop()

    def stop(self) -> None:
        self._timer.stop()

    def _judge(self) -> None:
        left = self._transport.get_write_buffer_size()
        if left and self._unsent - left < self._seconds * BYTES_A_SECOND:
            self._stalled()
        else:
            self.start()
