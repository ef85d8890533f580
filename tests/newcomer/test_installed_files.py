"""Templates, pictures, weights and migrations stand among the modules; whoever installs Docent gets them all."""

from pathlib import Path

import pytest

from tests.newcomer.newcomer import Newcomer

_ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("package", ["app", "crawler"])
def test_the_wheel_has_every_file_of_a_package(newcomer: Newcomer, package: str) -> None:
    [installed] = newcomer.programs.parent.glob("lib/python*/site-packages")
    assert _files(installed / package) == _files(_ROOT / package)


def _files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
