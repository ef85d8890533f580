"""How Sphinx makes a website of these pages: `make docs`. Its root is the repository's, so links read as on GitHub."""

import re
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent / "site"))

project = "Docent"
html_title = "Docent"
html_theme = "furo"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_extra_path = ["site/index.html"]
html_static_path = ["site/static"]
templates_path = ["site/templates"]

extensions = ["myst_parser", "tabs"]
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "CHANGELOG.md",
    "SECURITY.md",
    "THIRD_PARTY_NOTICES.md",
    "bench/README.md",
    "training/glosses/README.md",
    "bench/sites/README.md",
    "training/models/README.md",
    "tests/data/extraction/README.md",
]
exclude_patterns = ["docs/conf.py", "docs/site"]

nitpicky = True
myst_heading_anchors = 4

_LINK = re.compile(r"\]\(([\w./-]+)\.md\)")


def _with_navigation(app: Any, docname: str, source: list[str]) -> None:
    """The list of pages is the menu: each part of docs/index.md becomes one of its sections."""
    if docname == root_doc:
        for part in source[0].split("\n## ")[1:]:
            title, _, listed = part.partition("\n")
            pages = "\n".join(_LINK.findall(listed))
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{pages}\n```\n"
    elif docname == "docs/decisions/index":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"


def _with_docent(app: Any, config: Any) -> None:
    """The widget and the search of an agent that has read these pages, on each of them."""
    if config.docent_agent:
        for name in ("widget", "search"):
            address = config.docent_base.rstrip("/") + f"/widget/{name}.js"
            app.add_js_file(address, loading_method="async", **{"data-agent": config.docent_agent})
        config.html_context["docent_agent"] = config.docent_agent
        config.html_theme_options["enable_search_shortcuts"] = False  # the slash opens that search


def setup(app: Any) -> None:
    app.connect("source-read", _with_navigation)
    for name in ("docent_base", "docent_agent"):
        app.add_config_value(name, "", "html", [str])
    app.connect("config-inited", _with_docent)
