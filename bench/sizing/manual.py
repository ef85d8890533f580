"""Real pages for agents of any size: PostgreSQL's manual, of Debian's postgresql-doc-15, and vectors for its copies."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.knowledge.document import PageContent
from app.providers.embedding.embedder import Embedder, WrappedEmbedder
from bench.crawling.site import DOCUMENTATION
from bench.demo_corpus import COPY_MARK
from crawler.extract.extraction import extract_page

_HOST: Final = "postgresql.example"
_EVERY: Final = 4  # page is read: the model takes a minute for these, and their space is as wide
_NEIGHBOURS: Final = 16
_MOST_OF_THE_WAY: Final = 0.5
_NOISE: Final = 0.01  # on each of 384 numbers: a cosine of some .98
_EMBEDDED_AT_ONCE: Final = 64


def manual_pages() -> list[PageContent]:
    """A quarter of the manual's pages, from all of its parts, each under its path. Raises SystemExit where it is not
    installed."""
    folder = DOCUMENTATION["postgresql"]
    if not folder.is_dir():
        raise SystemExit(f"Install the documentation first: apt install {folder.parent.name}")
    return list(_pages())


def _pages() -> Iterator[PageContent]:
    folder = DOCUMENTATION["postgresql"]
    for file in sorted(folder.glob("*.html"))[::_EVERY]:
        page = extract_page(file.read_bytes(), f"https://{_HOST}/{file.name}", "utf-8")
        if page.markdown:
            yield PageContent(f"/{file.name}", page.title, page.markdown, site=_HOST)


class SpreadingEmbedder(WrappedEmbedder):
    """The shipped model's vector for a text of the manual; for a copy of it, one between that and a near text's.

    Copies lie up to half of the way to one of the sixteen nearest texts, with a little noise: they fill the space
    between real vectors as more pages about the same subjects would, where noise alone would pile them up around each.
    """

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self._known: dict[str, int] = {}
        self._vectors: NDArray[np.float32] = np.empty((0, inner.dimensions), dtype=np.float32)
        self._near: NDArray[np.intp] | None = None
        self._random = np.random.default_rng(0)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        originals = [COPY_MARK.sub("", text) for text in texts]
        await self._learn([text for text in dict.fromkeys(originals) if text not in self._known])
        rows = np.array([self._known[text] for text in originals])
        is_copy = np.array([bool((mark := COPY_MARK.search(text)) and mark[1] != "0") for text in texts])
        found = self._vectors[rows]
        if is_copy.any():
            found[is_copy] = self._spread(rows[is_copy])
        return found.tolist()  # type: ignore[no-any-return]

    async def _learn(self, fresh: Sequence[str]) -> None:
        for start in range(0, len(fresh), _EMBEDDED_AT_ONCE):
            some = fresh[start : start + _EMBEDDED_AT_ONCE]
            vectors = np.asarray(await self._embedder.embed(some), dtype=np.float32)
            self._known |= {text: len(self._known) + at for at, text in enumerate(some)}
            self._vectors = np.concatenate([self._vectors, vectors])
            self._near = None

    def _spread(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        if self._near is None:
            self._near = _nearest(self._vectors)
        others = self._near[rows, self._random.integers(0, self._near.shape[1], len(rows))]
        share = np.asarray(self._random.uniform(0, _MOST_OF_THE_WAY, (len(rows), 1)), dtype=np.float32)
        spread = self._vectors[rows] * (1 - share) + self._vectors[others] * share
        noise = self._random.normal(0, _NOISE, (len(rows), self.dimensions))
        spread = spread + noise.astype(np.float32)
        made: NDArray[np.float32] = spread / np.linalg.norm(spread, axis=1, keepdims=True)
        return made


def _nearest(vectors: NDArray[np.float32]) -> NDArray[np.intp]:
    """Of each row, the rows of its nearest neighbours, itself left out."""
    count = min(_NEIGHBOURS, len(vectors) - 1)
    found = []
    for start in range(0, len(vectors), 1000):
        cosines = vectors[start : start + 1000] @ vectors.T
        cosines[np.arange(len(cosines)), np.arange(start, start + len(cosines))] = -1.0
        found.append(np.argpartition(-cosines, count - 1, axis=1)[:, :count])
    return np.concatenate(found)
