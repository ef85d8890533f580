"""Documentation that Debian packages hold, as files to read. Nothing is installed, and no root is needed."""

import subprocess
from pathlib import Path
from typing import Final

_DOWNLOAD_SECONDS: Final = 600


def unpack(package: str, folder: Path) -> None:
    """Download `package` and unpack it into `folder`, which is made where it is missing. Raises SystemExit where the
    package cannot be had."""
    archive = download(package, folder)
    _of(package, folder, "dpkg-deb", "-x", archive.name, ".")
    archive.unlink()


def download(package: str, folder: Path) -> Path:
    """The archive of `package`, the newest that the machine's suites have, in `folder`, which is made where it is
    missing. Raises SystemExit where it cannot be had."""
    folder.mkdir(parents=True, exist_ok=True)
    _of(package, folder, "apt-get", "download", package)
    return next(folder.glob(f"{package}_*.deb"))


def _of(package: str, folder: Path, *command: str) -> None:
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=_DOWNLOAD_SECONDS)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{package}: {error.stderr.decode(errors='replace').strip() or error}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SystemExit(f"{package}: the package cannot be downloaded: {error}") from error
