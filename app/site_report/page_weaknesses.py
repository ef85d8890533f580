"""Pages that answer badly: none of their own questions is answered from them, another page has the same text, or they
are a wall of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from app.core.chunk import Chunk
from app.core.text.markdown.blocks import BlockKind, blocks
from app.core.text.words import folded_words, is_spaceless
from app.site_report.answer_verdict import NOTHING_FOUND, UNSURE
from app.site_report.site_report import JudgedAnswer, Weakness, WeaknessKind
from app.sources.source import PageStatus

_WALL_WORDS: Final = 400  # of running text below one heading; a reader sees some 200 at a time
_SPACELESS_A_WORD: Final = 2  # characters, in scripts without spaces between words


def weaknesses(
    pages: Iterable[Sequence[Chunk]], statuses: Iterable[PageStatus], answers: Iterable[JudgedAnswer]
) -> list[Weakness]:
    """By kind, each in the order of the pages; `pages` have their chunks in order."""
    of_page = {page[0].url: page for page in pages if page}
    return [*_unanswered(of_page, answers), *_duplicates(statuses, of_page), *_walls(of_page.values())]


def _unanswered(pages: dict[str, Sequence[Chunk]], answers: Iterable[JudgedAnswer]) -> Iterator[Weakness]:
    asked: dict[str, list[JudgedAnswer]] = defaultdict(list)
    for answer in answers:
        for url in answer.question.pages:
            asked[url].append(answer)
    for url, page in pages.items():
        if asked[url] and not any(_is_from(url, each) for each in asked[url]):
            questions = " · ".join(each.question.text for each in asked[url])
            yield Weakness(WeaknessKind.UNANSWERED, url, page[0].title, questions)


def _is_from(url: str, answer: JudgedAnswer) -> bool:
    """Whether the page was quoted surely, be it a line or links."""
    return answer.reason not in (UNSURE, NOTHING_FOUND) and any(quote.page == url for quote in answer.quotes)


def _duplicates(statuses: Iterable[PageStatus], pages: dict[str, Sequence[Chunk]]) -> Iterator[Weakness]:
    originals = {page[0].document_id: url for url, page in pages.items()}
    for status in statuses:
        original = originals.get(status.document_id) if status.document_id else None
        if status.status == "duplicate" and original is not None:  # another address of the same page has none
            yield Weakness(WeaknessKind.DUPLICATE, status.url, status.title or "", original)


def _walls(pages: Iterable[Sequence[Chunk]]) -> Iterator[Weakness]:
    for page in pages:
        words: dict[tuple[str, ...], int] = defaultdict(int)
        for chunk in page:
            told = (block.text for block in blocks(chunk.text) if block.kind is BlockKind.PARAGRAPH)
            words[chunk.breadcrumb] += sum(map(_count, told))
        path, most = max(words.items(), key=lambda each: each[1])
        if most >= _WALL_WORDS:
            where = path[-1] if path else page[0].title
            yield Weakness(WeaknessKind.WALL_OF_TEXT, page[0].url, page[0].title, f"{where}: {most} words")


def _count(text: str) -> int:
    return len(folded_words(text)) + sum(map(is_spaceless, text)) // _SPACELESS_A_WORD
