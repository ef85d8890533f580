"""The Markdown of a Git repository, one page per file. Git names files by their content: a file with an unchanged name
is never fetched again."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from app.core.errors import InvalidInput
from app.sources.listed.document_list import ApiAccess, Article, DocumentList, ListedKind, ListedSource
from app.sources.source import SourceConfig
from crawler.decoding import decode_html
from crawler.extract.page import Outcome
from crawler.fetch.fetch_result import NotRead
from crawler.url_rules import CheckedUrl

SUFFIXES: Final = (".md", ".mdx", ".markdown")
_FOLDERS_OWN: Final = ("index", "_index", "readme")  # represent their folder
_FRONT_MATTER: Final = re.compile(r"\s{0,100}---[ \t]*\r?\n(.{0,20000}?)\n---", re.DOTALL)
_DRAFT: Final = re.compile(r"^draft:[ \t]*true[ \t\r]*$", re.MULTILINE | re.IGNORECASE)
# The paths at which repositories' websites show a file, by the host's name; other hosts are treated like GitHub.
_SHOWN_AT: Final[Mapping[str, str]] = {
    "gitlab": "-/blob/{branch}/{path}",
    "bitbucket": "src/{branch}/{path}",
    "codeberg": "src/branch/{branch}/{path}",
    "gitea": "src/branch/{branch}/{path}",
    "forgejo": "src/branch/{branch}/{path}",
}


class GitMarkdown(DocumentList):
    """A page's address is in the source's `page_url`, else where the repository's website shows the file."""

    def __init__(self, source: ListedSource) -> None:
        headers = source.access.headers if source.access else {}
        self._repository = source.remotes.repository(str(source.start), headers)
        self._start = source.start
        self._source = source.config
        self._texts: Mapping[str, bytes | NotRead] = {}

    async def articles(self) -> AsyncIterator[Article]:
        source = self._source
        tree = await self._repository.tree(source.branch, source.folder, SUFFIXES)
        below = f"{source.folder.strip('/')}/" if source.folder.strip("/") else ""
        for file in tree.files:
            place = source.page_url or _shown_at(self._start, tree.branch)
            path = file.path.removeprefix(below) if source.page_url else file.path
            url = _filled(place, path)
            yield Article(url, "", file.blob, key=file.blob, path=f"/{file.path}", is_markdown=True)

    async def fetch_ahead(self, articles: Sequence[Article]) -> None:
        keys = [article.key for article in articles]
        try:
            self._texts = await self._repository.texts(keys) if keys else {}
        except NotRead as error:
            self._texts = dict.fromkeys(keys, error)

    async def text(self, article: Article) -> str:
        blob = self._texts.get(article.key)
        if blob is None:
            raise NotRead(Outcome.UNREACHABLE, "the repository's server did not send this file")
        if isinstance(blob, NotRead):
            raise blob
        text = decode_html(blob, "utf-8")
        front = _FRONT_MATTER.match(text)
        if front and _DRAFT.search(front[1]):
            raise NotRead(Outcome.NOINDEX, "its front matter marks it as a draft")
        return text


def _shown_at(start: CheckedUrl, branch: str) -> str:
    website = str(start).partition("?")[0].rstrip("/").removesuffix(".git")
    names = start.host.split(".")
    pattern = next((shown for name, shown in _SHOWN_AT.items() if name in names), "blob/{branch}/{path}")
    return f"{website}/{pattern.replace('{branch}', quote(branch))}"


def _filled(place: str, path: str) -> str:
    inner = PurePosixPath(path)
    bare = inner.parent if inner.stem.lower() in _FOLDERS_OWN else inner.parent / inner.stem
    named = "" if bare == PurePosixPath() else bare.as_posix()
    return place.replace("{path}", quote(path)).replace("{path_without_suffix}", quote(named))


class Git(ListedKind):
    page_url_form = (
        "Link to a file",
        "Contains {path_without_suffix} or {path}. Leave blank to link to the file in the repository.",
        "https://docs.example.com/{path_without_suffix}",
    )

    def check(self, config: SourceConfig) -> None:
        if config.page_url and "{path}" not in config.page_url and "{path_without_suffix}" not in config.page_url:
            raise InvalidInput("page_url", "Each file needs its own address. Include {path} or {path_without_suffix}.")
        folder = config.folder.strip("/")
        if folder and any(part in ("", ".", "..") for part in folder.split("/")):
            raise InvalidInput("folder", 'Enter a path in the repository, such as "docs" or "website/docs".')


GIT: Final = Git(
    "git",
    "Git repository with Markdown",
    GitMarkdown,
    *("page_url", "branch", "folder"),
    address="https://github.com/example/docs",
    access=ApiAccess(name="x-access-token", hint="A token with read access; the name as its host wants it."),
)
