"""A template is named by its path in `app`, and stands beside the pages that show it."""

import re
from collections import defaultdict
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Final

import pytest

_APP: Final = Path(__file__).resolve().parents[3] / "app"
_CONSOLE: Final = "web/console"
_SHARED: Final = "web/console/templates"
_NAME: Final = re.compile(r'"((?:\w+/)+\w+\.html)"')


@pytest.fixture(scope="module")
def naming() -> Mapping[str, Set[str]]:
    """The folders of the files that name each template."""
    found = defaultdict(set)
    for path in [*_APP.rglob("*.py"), *_templates()]:
        for name in _NAME.findall(path.read_text("utf-8")):
            found[name].add(path.parent.relative_to(_APP).as_posix())
    return found


def test_every_template_that_is_named_is_there_and_the_other_way_round(naming: Mapping[str, Set[str]]) -> None:
    assert set(naming) == {path.relative_to(_APP).as_posix() for path in _templates()}


def test_what_one_folder_shows_stands_in_it_and_the_rest_together(naming: Mapping[str, Set[str]]) -> None:
    astray = {name: folders for name, folders in naming.items() if name.rpartition("/")[0] != _home(folders)}
    assert astray == {}


def _home(folders: Set[str]) -> str:
    return next(iter(folders)) if len(folders) == 1 and _CONSOLE not in folders else _SHARED


def _templates() -> list[Path]:
    return [path for path in _APP.rglob("*.html") if _APP / "demo_site" not in path.parents]
