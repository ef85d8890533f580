"""`python -m training.models.passages`: the passages of the documentation that the questions were written for.

Debian packages are downloaded (`apt-get download`, no root), their pages read by the crawler's extraction, cut by the
Chunker and then into passages, as an answer does it. The invented companies' pages are cut beside them.
"""

import argparse
import itertools
import json
import random
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from app.answers.writing.answer_context import Source
from app.answers.writing.passages import passages
from app.core.text.markdown.section_text import section_text
from app.knowledge.chunk_limits import ChunkLimits
from app.knowledge.chunker import Chunker
from app.knowledge.document import PageContent, SectionHeading
from app.providers.token_counter import MarkdownTextSplitter, TokenizersTokenCounter
from bench.debian_package import unpack
from crawler.errors import ExtractionFailed
from crawler.extract.extraction import extract_page
from training.models.training_data import COMPANIES, FOLDER, Passage, asked_passages, company_site

_EMBEDDER: Final = Path("app/weights/embedder")
_BUILD_SECONDS: Final = 600
_PAGE_BYTES: Final = range(3_001, 350_000)
_PAGES_DRAWN, _PAGES_READ, _HELP_PAGES_READ = 90, 60, 90
_PASSAGES_A_SITE: Final = 1_800
_PASSAGE_CHARS: Final = 1_200
_CHUNKS_A_SOURCE: Final = 9
_API_PAGES: Final = r"|/api/|/api-"
_LEFT_OUT: Final = (
    r"genindex|search\.html|modindex|_modules|/_sources|change(s|log)|release[-_]?notes|releasenotes|whats?_?new"
    r"|history|news\b|license|copying|authors|credits|apidoc|reference/classes|_static|toc\.html|index-all"
    r"|contributor/|auto_examples|generated/|allclasses|doxygen"
)
_PAGE_START: Final = re.compile(r"(?m)^(?=# )")


@dataclass(frozen=True, slots=True)
class DocumentationSite:
    """Some pages of a package. `help` is the folder of GNOME help that `yelp-build` (yelp-tools) makes pages of;
    several small ones stand together as one `site`, each page named `NAME/PAGE` there."""

    name: str
    package: str
    version: str
    licence: str | None
    title: str
    help: str = ""
    site: str = ""
    reads_api: bool = False

    def fetch(self, packages: Path) -> Path:
        """The root of the unpacked package, downloaded unless it is there already."""
        root = packages / self.package
        if not (root / "usr").is_dir():
            unpack(self.package, root)
        return root

    def pages(self, packages: Path) -> list[Path]:
        """The same draw wherever the package is the same: of many pages a part, for no site should outweigh others."""
        root = self.fetch(packages)
        files = self._help_pages(root, packages / "help" / self.help) if self.help else self._drawn(root)
        random.Random(self.name).shuffle(files)
        return sorted(files[: _HELP_PAGES_READ if self.help else _PAGES_READ])

    def _drawn(self, root: Path) -> list[Path]:
        left_out = re.compile(_LEFT_OUT if self.reads_api else _LEFT_OUT + _API_PAGES, re.IGNORECASE)
        found = (file for file in root.rglob("*") if file.suffix in {".html", ".htm"} and file.is_file())
        sized = (file for file in found if file.stat().st_size in _PAGE_BYTES)
        kept = (file.resolve() for file in sized if not left_out.search(f"/{file.relative_to(root)}"))
        files = sorted({file for file in kept if file.exists()})
        random.Random(self.package).shuffle(files)
        return sorted(files[:_PAGES_DRAWN])

    def _help_pages(self, root: Path, built: Path) -> list[Path]:
        if not built.is_dir():
            built.mkdir(parents=True)
            pages = (root / "usr/share/help/C" / self.help).resolve()
            command = ["yelp-build", "html", "-i", "-o", ".", str(pages)]  # -i: some lack a figure
            subprocess.run(command, cwd=built, check=True, timeout=_BUILD_SECONDS)
        return sorted(built.glob("*.html"))


class PassageCutter:
    """Cuts pages as ingest and an answer do, with the shipped embedder's tokenizer."""

    def __init__(self, embedder: Path) -> None:
        counter = TokenizersTokenCounter(embedder)
        self._chunker = Chunker(MarkdownTextSplitter(counter), counter, ChunkLimits())

    def cut(self, site: str, page: str, content: PageContent) -> Iterator[Passage]:
        """Those of a long section are made of nine chunks at a time, which is what a source is widened to."""
        for path, group in itertools.groupby(self._chunker.cut(content), key=lambda draft: draft.breadcrumb):
            section, chunks = f"{page}|{' > '.join(path)}", [draft.text for draft in group]
            for start in range(0, len(chunks), _CHUNKS_A_SOURCE):
                text = section_text(chunks[start : start + _CHUNKS_A_SOURCE])
                heading = path[-1] if path else ""
                source = Source(1, content.url, content.title, text, heading=heading, breadcrumb=path)
                for passage in passages(source):
                    yield Passage(site, page, section, passage.place, passage.text[:_PASSAGE_CHARS])


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    cutter = PassageCutter(arguments.embedder)
    asked = {(each.site, each.page) for each in asked_passages()}
    chosen = set(arguments.sites.split(",")) if arguments.sites else None
    with arguments.out.open("w", encoding="utf-8") as out:
        for site in read_sites():
            if chosen is None or site.name in chosen:
                pages = site.pages(arguments.packages)
                _report(site.name, _write(_documentation(site, pages, cutter, asked), out.write))
        for file in sorted(COMPANIES.glob("*.md")):
            _report(company_site(file), _write(_company(file, cutter), out.write))


def read_sites() -> list[DocumentationSite]:
    return [DocumentationSite(**row) for row in json.loads((FOLDER / "sites.json").read_text("utf-8"))]


def _documentation(
    site: DocumentationSite, pages: Iterable[Path], cutter: PassageCutter, asked: set[tuple[str, str]]
) -> Iterator[Passage]:
    """Each once, pages with a question first; then others, as whole pages, until the site has enough."""
    name, seen, count = site.site or site.name, set[tuple[str, str]](), 0
    titled = [(f"{site.name}/{file.name}" if site.site else file.name, file) for file in pages]
    random.Random(site.name).shuffle(titled)
    for page, file in sorted(titled, key=lambda each: (name, each[0]) not in asked):
        content = _content(site.name, file)
        cut = [] if content is None else list(cutter.cut(name, page, content))
        new = list({(each.text, each.place): each for each in cut if (each.text, each.place) not in seen}.values())
        if (name, page) not in asked and count + len(new) > _PASSAGES_A_SITE:
            continue
        seen |= {(each.text, each.place) for each in new}
        count += len(new)
        yield from new


def _content(site: str, file: Path) -> PageContent | None:
    """None where the page asks not to be indexed or cannot be parsed in time."""
    url = f"https://docs.example/{site}/{file.name}"
    try:
        page = extract_page(file.read_bytes(), url, "utf-8")
    except ExtractionFailed as error:
        print(f"{site}: {file.name} is left out: {error}")
        return None
    if page.is_noindex:
        return None
    headings = tuple(SectionHeading(heading.level, heading.text, heading.anchor) for heading in page.headings)
    return PageContent(url, page.title, page.markdown, headings, site="docs.example", language="en")


def _company(file: Path, cutter: PassageCutter) -> Iterator[Passage]:
    for page in company_pages(file):
        yield from cutter.cut(company_site(file), page.title, page)


def company_pages(file: Path) -> Iterator[PageContent]:
    """An invented company's pages, which stand in one file, each under a heading of the first level."""
    host = f"{company_site(file)}.example"
    for page in _PAGE_START.split(file.read_text("utf-8")):
        if page.startswith("# "):
            title = page.splitlines()[0].removeprefix("# ").strip()
            yield PageContent(f"https://{host}/{title}", title, page, (), site=host, language="en")


def _write(rows: Iterable[Passage], write: Callable[[str], object]) -> int:
    lines = [json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows]
    write("".join(lines))
    return len(lines)


def _report(site: str, count: int) -> None:
    print(f"{site}: {count} passages", flush=True)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(".venv/training/passages.jsonl"))
    parser.add_argument("--packages", type=Path, default=Path(".venv/training/packages"), help="what was downloaded")
    parser.add_argument("--embedder", type=Path, default=_EMBEDDER, help="the folder with its tokenizer.json")
    parser.add_argument("--sites", help="names of sites.json, comma separated (all)")
    arguments = parser.parse_args(argv)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    return arguments


if __name__ == "__main__":
    main()
