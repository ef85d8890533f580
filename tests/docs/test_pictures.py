"""Every picture is on a page, and the script makes it."""

import re

from tests.docs.fenced_blocks import PAGES, ROOT

FOLDER = ROOT / "docs" / "images"
DRAWN = {"sizes.svg"}  # by `make bench-sizes`


def test_every_picture_is_on_a_page() -> None:
    shown = {name for page in PAGES for name in re.findall(r"images/([\w.-]+)", page.read_text("utf-8"))}
    assert {file.name for file in FOLDER.iterdir()} == shown


def test_make_takes_every_picture_anew() -> None:
    [rule] = re.findall(r"^docs-pictures:.*?\n\n", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert {f"{name}.png" for name in re.findall(r"\b(?:report|widget-[\w-]+|console-[\w-]+)\b", rule)} == {
        file.name for file in FOLDER.iterdir()
    } - DRAWN
