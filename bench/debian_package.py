"""Documentation that Debian packages hold, as files to read. Nothing is installed, and no root is needed."""

import subprocess
from pathlib import Path
from typing import Final

_DOWNLOAD_SECONDS: Final = 600


def unpack(package: str, folder: Path) -> None:
    """Download `package` and unpack it into `folder`, which is made where it is missing. Raises SystemExit where the
    package cannot be had."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _run(folder, "apt-get", "download", package)
        for archive in folder.glob(f"{package}_*.deb"):
            _run(folder, "dpkg-deb", "-x", archive.name, ".")
            archive.unlink()
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{package}: {error.stderr.decode(errors='replace').strip() or error}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SystemExit(f"{package}: the package cannot be downloaded: {error}") from error


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=_DOWNLOAD_SECONDS)
