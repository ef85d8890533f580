"""Our npm packages as `npm install` would put them into a project."""

import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.docs.fenced_blocks import ROOT
from tests.recipes.tools import run

WIDGET = ROOT / "widget"


def packed_into(modules: Path) -> None:
    """Builds and packs `@docent/client` and `@docent/react`."""
    run(["node", "packages.mjs"], WIDGET)
    for name in ("client", "react"):
        with TemporaryDirectory() as folder:
            run(["npm", "pack", "--silent", "--pack-destination", folder], WIDGET / "packages" / name)
            [file] = Path(folder).iterdir()
            with tarfile.open(file) as archive:
                archive.extractall(folder, filter="data")
            (modules / "@docent").mkdir(parents=True, exist_ok=True)
            (Path(folder) / "package").replace(modules / "@docent" / name)
