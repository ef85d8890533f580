"""What is taken out of a package, and the list of packages."""

import io
import tarfile
import zipfile
from pathlib import Path

from training.glosses.packages import read_files, read_packages


def test_of_a_wheel_the_files_that_are_read_come_and_none_from_outside_its_folder(tmp_path: Path) -> None:
    wheel = tmp_path / "shop-1.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in (
            "shop/locale/de/LC_MESSAGES/shop.mo",
            "shop/shop.py",
            "../locale/de/shop.mo",
            "/locale/de/shop.mo",
        ):
            archive.writestr(name, "content")
    assert [(str(place), read()) for place, read in read_files(wheel)] == [
        ("shop/locale/de/LC_MESSAGES/shop.mo", b"content")
    ]


def test_of_an_npm_package_folders_and_links_are_left_out(tmp_path: Path) -> None:
    package = tmp_path / "shop-1.tgz"
    with tarfile.open(package, "w:gz") as archive:
        for name, kind in (("de", tarfile.DIRTYPE), ("de/link.json", tarfile.SYMTYPE), ("de/a.json", tarfile.REGTYPE)):
            info = tarfile.TarInfo(f"package/{name}")
            info.type, info.size = kind, 2 if kind == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(b"{}"))
    assert [(str(place), read()) for place, read in read_files(package)] == [("package/de/a.json", b"{}")]


def test_each_package_is_listed_once() -> None:
    named = [(package.registry, package.name) for package in read_packages()]
    assert len(named) == len(set(named)) > 200
