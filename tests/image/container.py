"""Starts a built image's command as an engine would: a read-only root, a volume, an empty /tmp, process 1 of its own,
the image's own environment and nothing of ours. Needs root's rights, for mounts."""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.cli.demo.script import ApiClient
from tests.image.built_image import Image

USER = 10001
START_SECONDS = 480
STOP_SECONDS = 45
_LOOK_SECONDS = 0.2
# The root may lie on an overlay, so it is bound and bound once more as read-only; all of it is gone with the namespace.
_MOUNTS = """
set -e
mount --bind {root} {mountpoint}
mount -o remount,bind,ro {mountpoint}
mount --bind {data} {mountpoint}/data
mount -t tmpfs -o mode=1777 tmpfs {mountpoint}/tmp
mount -t proc proc {mountpoint}/proc
mount --rbind /dev {mountpoint}/dev
mount --bind /etc/resolv.conf {mountpoint}/etc/resolv.conf || true
exec chroot {userspec} {mountpoint} env -i {environment} {command}
"""


@dataclass(frozen=True, slots=True)
class Container:
    """`first` is its process 1, as this machine numbers it."""

    process: "subprocess.Popen[bytes]"
    first: int
    base: str
    log: Path

    def stop(self) -> int:
        """SIGTERM; the exit code. Raises TimeoutExpired where it does not end in the time that operators are told."""
        os.kill(self.first, signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)

    def owner(self) -> int:
        return Path(f"/proc/{self.first}").stat().st_uid

    def temporary_files(self) -> list[str]:
        return [path.name for path in Path(f"/proc/{self.first}/root/tmp").iterdir()]


@dataclass(frozen=True, slots=True)
class Machine:
    """Where one image runs, with `data` as its volume. `user` is who starts it, as the image says unless given."""

    image: Image
    folder: Path
    data: Path

    def run(self, *command: str, typed: str = "", settings: Mapping[str, str] | None = None) -> str:
        """What a command of the image prints."""
        ended = subprocess.run(
            self._started(command, settings or {}), input=typed, capture_output=True, text=True, timeout=START_SECONDS
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    @contextmanager
    def started(self, port: int, settings: Mapping[str, str]) -> Iterator[Container]:
        """The image's own command, ready to serve on `port`."""
        log = self.folder / f"log-{time.monotonic_ns()}"
        with log.open("wb") as written:
            told = {**settings, "DOCENT_PORT": str(port)}
            process = subprocess.Popen(self._started(self.image.command, told), stdout=written, stderr=written)
        try:
            base = f"http://127.0.0.1:{port}"
            give_up_at = time.monotonic() + START_SECONDS
            while not ApiClient(base, "").is_ready():
                assert process.poll() is None, log.read_text()[-3000:]
                assert time.monotonic() < give_up_at, log.read_text()[-3000:]
                time.sleep(_LOOK_SECONDS)
            [first] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            yield Container(process, int(first), base, log)
        finally:
            process.kill()
            process.wait()

    def _started(self, command: Sequence[str], settings: Mapping[str, str]) -> list[str]:
        """In namespaces of its own for mounts and processes."""
        mountpoint = self.folder / "root"
        mountpoint.mkdir(exist_ok=True)
        user = self.image.config.get("User")
        environment = {**self.image.environment, "HOME": "/data" if user else "/root", **settings}
        script = _MOUNTS.format(
            root=shlex.quote(str(self.image.root)),
            mountpoint=shlex.quote(str(mountpoint)),
            data=shlex.quote(str(self.data)),
            userspec=f"--userspec={user}" if user else "",
            environment=shlex.join(f"{name}={value}" for name, value in environment.items()),
            command=shlex.join(command),
        )
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script]
