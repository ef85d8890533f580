"""What a plain `pip install docent` brings along, found among what is installed for the tests."""

from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement


def runtime_distributions(name: str) -> list[Distribution]:
    """The distributions that `name` needs, directly or not, itself and its extras left out."""
    found: dict[tuple[str, str], Distribution] = {}
    waiting = [(needed.name, extra) for needed in _needs(distribution(name), "") for extra in ("", *needed.extras)]
    while waiting:
        named, extra = waiting.pop()
        if (named.lower(), extra) in found:
            continue
        installed = found[named.lower(), extra] = distribution(named)
        waiting += [(needed.name, more) for needed in _needs(installed, extra) for more in ("", *needed.extras)]
    return list({str(each.metadata["Name"]).lower(): each for each in found.values()}.values())


def link_into(site_packages: Path, distributions: list[Distribution]) -> None:
    """Make them importable there, and nothing else of the folder that they come from."""
    for installed in distributions:
        for top in {Path(file).parts[0] for file in installed.files or ()} - {"..", "__pycache__"}:
            link = site_packages / top
            if not link.exists():
                link.symlink_to(Path(str(installed.locate_file(top))))


def _needs(installed: Distribution, extra: str) -> Iterator[Requirement]:
    for written in installed.requires or ():
        needed = Requirement(written)
        if needed.marker is None or needed.marker.evaluate({"extra": extra}):
            yield needed
