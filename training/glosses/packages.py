"""`python -m training.glosses.packages`: downloads the packages of packages.json, and unpacks what `pairs` reads."""

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from bench.debian_package import download
from training.glosses.pairs import is_read
from training.glosses.text_pairs import FOLDER, LANGUAGES

_PACKAGES: Final = Path(__file__).with_name("packages.json")
_DOWNLOAD_SECONDS: Final = 600
_DESCRIPTIONS: Final = "https://deb.debian.org/debian/dists/{suite}/main/i18n/{name}"
_BRAZILIAN: Final = "pt_BR"
_COMPRESSIONS: Final = ("bz2", "xz")  # a suite has its descriptions in one of them
_NOT_FOUND: Final = 404


@dataclass(frozen=True, slots=True)
class Package:
    """`version` is what the lists were made from, and what is downloaded, but for Debian's, which keeps the newest
    alone. `licence` is as its metadata have it; null where they have none that a program can read."""

    registry: str
    name: str
    version: str
    licence: str | None

    def archive(self, folder: Path) -> Path:
        """Downloaded into `folder`. Raises SystemExit where it cannot be had."""
        if self.registry == "debian":
            return download(self.name, folder)
        if self.registry == "pypi":
            options = ("--no-deps", "--only-binary=:all:", "--dest", str(folder))
            self._run(sys.executable, "-m", "pip", "download", *options, f"{self.name}=={self.version}")
        else:
            self._run("npm", "pack", "--pack-destination", str(folder), f"{self.name}@{self.version}")
        return next(folder.iterdir())

    def _run(self, *command: str) -> None:
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_DOWNLOAD_SECONDS)
        except subprocess.CalledProcessError as error:
            raise SystemExit(f"{self.name}: {error.stderr.decode(errors='replace').strip() or error}") from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SystemExit(f"{self.name}: the package cannot be downloaded: {error}") from error


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    chosen = set(arguments.names.split(",")) if arguments.names else None
    for package in read_packages():
        if chosen is None or package.name in chosen:
            fetch(package, arguments.out / package.registry / package.name.replace("/", "-"))
    if chosen is None:
        for suite in json.loads(_PACKAGES.read_text("utf-8"))["descriptions"]:
            fetch_descriptions(suite, arguments.descriptions / suite)


def read_packages() -> list[Package]:
    content = json.loads(_PACKAGES.read_text("utf-8"))
    return [Package(registry, **row) for registry in ("debian", "pypi", "npm") for row in content[registry]]


def fetch(package: Package, folder: Path) -> None:
    """Unpack into `folder` what is read of it, unless it is there. Raises SystemExit where it cannot be had."""
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent.parent) as temporary:
        downloaded, unpacked = Path(temporary, "downloaded").absolute(), Path(temporary, "unpacked")
        downloaded.mkdir()
        unpacked.mkdir()
        archive = package.archive(downloaded)
        count = 0
        for name, content in read_files(archive):
            path = unpacked / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content())
            count += 1
        unpacked.rename(folder)
    print(f"{package.name}: {count} files", flush=True)


def read_files(archive: Path) -> Iterator[tuple[PurePosixPath, Callable[[], bytes]]]:
    """The files of a .deb, a wheel or an npm package that `pairs` reads, by their place; none outside its folder."""
    for name, content in _members(archive):
        place = PurePosixPath(name)
        if is_read(place) and not place.is_absolute() and ".." not in place.parts:
            yield place, content


def fetch_descriptions(suite: str, folder: Path) -> None:
    """Debian's descriptions of its packages, in English and in all languages, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for language in ("en", *LANGUAGES, _BRAZILIAN):
        name = f"Translation-{language}"
        if not any(folder.glob(f"{name}.*")):
            compression, content = _description(suite, name)
            (folder / f"{name}.{compression}").write_bytes(content)


def _members(archive: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for info in wheel.infolist():
                yield info.filename, partial(wheel.read, info)
    elif archive.suffix == ".deb":
        command = ("dpkg-deb", "--fsys-tarfile", str(archive))
        with (
            subprocess.Popen(command, stdout=subprocess.PIPE) as process,
            tarfile.open(fileobj=process.stdout, mode="r|") as tar,
        ):
            yield from _tar_members(tar)
        if process.returncode:
            raise SystemExit(f"{archive.name}: dpkg-deb cannot read it")
    else:
        with tarfile.open(archive) as tar:
            yield from _tar_members(tar)


def _tar_members(tar: tarfile.TarFile) -> Iterator[tuple[str, Callable[[], bytes]]]:
    for member in tar:
        if member.isfile() and (opened := tar.extractfile(member)):
            yield member.name, opened.read


def _description(suite: str, name: str) -> tuple[str, bytes]:
    for compression in _COMPRESSIONS:
        address = _DESCRIPTIONS.format(suite=suite, name=f"{name}.{compression}")
        try:
            with urlopen(address, timeout=_DOWNLOAD_SECONDS) as answer:
                return compression, answer.read()
        except HTTPError as error:
            if error.code != _NOT_FOUND:
                raise SystemExit(f"{address}: {error}") from error
        except URLError as error:
            raise SystemExit(f"{address}: {error}") from error
    raise SystemExit(f"{suite} has no {name}")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER / "packages")
    parser.add_argument("--descriptions", type=Path, default=FOLDER / "descriptions")
    parser.add_argument("--names", help="of packages, comma separated (all, and the descriptions)")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
