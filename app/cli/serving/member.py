"""What one of several web processes is told by the one that starts them, as a hidden option of its command."""

import json
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class Member:
    """`number` counts from 1, `listening` are descriptors of bound sockets, and `folder` is where the processes reach
    each other."""

    number: int
    listening: Sequence[int]
    folder: str

    @classmethod
    def read(cls, written: str) -> Self:
        return cls(**json.loads(written))

    def written(self) -> str:
        return json.dumps(asdict(self))

    @property
    def sockets(self) -> list[socket.socket]:
        return [socket.socket(fileno=descriptor) for descriptor in self.listening]

    @property
    def metrics_socket(self) -> Path:
        return Path(self.folder, f"{self.number}.sock")
