"""The images of others that we build on and deploy with are pinned by digest, and current."""

import re
import tomllib
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from tests.packaging.deployed_settings import ROOT

TABLE: dict[str, dict[str, Any]] = tomllib.loads((ROOT / "deploy" / "images.toml").read_text("utf-8"))
NAMING = ("Dockerfile", "deploy/docker-compose.yml")
_NAMED = re.compile(r"^(?:ARG BASE=|\s+image: )(\S+)$", re.MULTILINE)
_PINNED = re.compile(r"[a-z/]+:v?\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}")
_OWN = "docent:"
HALF_A_YEAR = timedelta(days=183)


def named() -> set[str]:
    texts = [(ROOT / name).read_text("utf-8") for name in NAMING]
    return {image for text in texts for image in _NAMED.findall(text) if not image.startswith(_OWN)}


def stale(today: date) -> list[str]:
    return [name for name, row in TABLE.items() if today - row["made"] > HALF_A_YEAR]


def test_every_image_that_is_named_is_in_the_table_and_the_reverse() -> None:
    assert named() == {row["image"] for row in TABLE.values()}
    assert len(TABLE) == 5
    assert "FROM ${BASE} AS build" in (ROOT / "Dockerfile").read_text("utf-8")


@pytest.mark.parametrize("name", TABLE)
def test_an_image_has_a_version_and_a_digest(name: str) -> None:
    assert _PINNED.fullmatch(TABLE[name]["image"])


def test_no_image_is_older_than_half_a_year() -> None:
    """Else: take the current ones, as deploy/images.toml says."""
    assert stale(datetime.now(UTC).date()) == []


def test_one_that_is_older_is_noticed() -> None:
    oldest = min(row["made"] for row in TABLE.values())
    assert stale(oldest + HALF_A_YEAR) == []
    assert stale(oldest + HALF_A_YEAR + timedelta(days=1)) != []
