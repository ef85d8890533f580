"""The locked requirements of the image."""

import re
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.security.threats import ROOT

LOCK: Path = ROOT / "requirements.lock"
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


def locked(text: str) -> dict[str, Version]:
    """Version by canonical name."""
    return {canonicalize_name(name): Version(version) for name, version in _PIN.findall(text)}


def entries(text: str) -> list[str]:
    """One for each requirement, its hashes with it, without comments."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return re.split(r"\n(?=\S)", "\n".join(lines))
