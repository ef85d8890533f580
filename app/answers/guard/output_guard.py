"""Checks and rewrites an answer while it streams, never afterwards.

The guard holds back only what could still become something forbidden (half a link, half a citation, the start of the
canary) and releases the rest at once. At every prefix of the stream, the released text is final and safe.
"""

import base64
import codecs
import re
import string
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from app.answers.guard.citation_spellings import BEGINNINGS, STILL_OPEN, CitationSpellings, citation_pattern
from app.core.page_url import host_of
from app.core.text.answer_words import MARK
from app.core.text.markdown.blocks import StreamedCode
from app.core.text.sentences import statement_ends, undecided_from
from app.core.text.untrusted_text import StreamedControls
from app.core.turn import Finish

REMOVED_LINK = "[link removed]"

_CITATION = re.compile(
    r"\[(?:sources?\s*)?#?(\d{1,3}(?:\s*[,;]\s*#?\d{1,3})*)\](?!\()"  # [1], [1, 2], [source 1]
    r"|【(\d{1,3})(?:†[^】\n]{0,20})?】",
    re.IGNORECASE,
)
_TARGET = r"\(\s*+<?(?P<target>[^\s()<>]*+(?:\([^\s()<>]*+\)[^\s()<>]*+)*+)>?(?:\s++[\"'][^\"'\n]*+[\"'])?\s*+\)"
_LINK = re.compile(rf"!?\[(?P<label>[^\[\]\n]*)\]{_TARGET}")
_MODELS_LINK = re.compile(
    rf"(?P<opened>[(（][^()（）\[\]\n.]{{0,24}})?!?\[(?P<label>\[?[^\[\]\n]*\]?)\]{_TARGET}(?(opened)\s*[)）])"
)
_SAME_TWICE = re.compile(rf"({MARK.pattern})(?:[ \t]*\1)+")
_ATTACHED = frozenset({"tagged", "attribute", "raised"})  # to the word before
_LOOKED_BACK = 8
_URL = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.|(?<![:\w/])/{2,}(?=[^\s/]*\.))[^\s<>\"'`|\\^{}\[\]]*", re.IGNORECASE
)
_SCRIPT_SCHEME = re.compile(r"(javascript|vbscript|data(?=\s*:\s*\w+/\w))\s*:", re.IGNORECASE)
_REFERENCE_PICTURE = re.compile(r"!(?=\[)")
_REFERENCE_TARGET = re.compile(r"^([ \t]{0,3})\[(?!\d*+\])([^\]\n]++)\](?=:)", re.MULTILINE)
_BACKTICKS = re.compile(r"(`+|\n)")
_TRAILING = ".,;:!?)*_~"

# The end of the text so far may still grow into a construct: a bracket, a link target, a URL, a run of backticks.
_OPEN = (
    r"!?\[[^\[\]\n]{0,300}\Z"
    r"|!?\[[^\[\]\n]{0,300}\](?:\(\s{0,9}<?[^\s()<>]{0,2000}+(?:\([^\s()<>]{0,2000}+\)?[^\s()<>]{0,2000}+){0,9}+>?"
    r"(?:\s{1,9}(?:[\"'][^\"'\n]{0,300}[\"']?)?\s{0,9})?)?\Z"
    r"|!\Z|(?<!`)`++\Z|【[^】\n]{0,20}\Z"
    r"|[a-z0-9+.-]{1,24}(?::/{0,2})?\Z|(?<!/)/++\Z|(?:javascript|vbscript|data)\s*+(?::\s*+)?\Z"
    r"|(?:[a-z][a-z0-9+.-]{1,20}://|www\.|//)[^\s]{0,2000}\Z"
)
_STILL_OPEN = re.compile(_OPEN, re.IGNORECASE)
_STILL_OPEN_FOR_SPELLINGS = re.compile(f"{_OPEN}{STILL_OPEN}", re.IGNORECASE)

# All of the above begin with one of these, except for the last word, which may be the beginning of an address.
_OF_A_CONSTRUCT = re.compile(r"[\[【!:/`]|www\.", re.IGNORECASE)
_OF_A_SPELLING = re.compile(rf"[\[【!:/`{BEGINNINGS}]|www\.", re.IGNORECASE)
_OF_A_SCHEME = string.ascii_letters + string.digits + "+.-\u0130\u0131\u017f\u212a"  # i, i, s and k to IGNORECASE
_LONGEST_SCHEME = 24
_SCRIPT_BEGUN = re.compile(r"(?:javascript|vbscript|data)\Z", re.IGNORECASE)
_LONGEST_SCRIPT = len("javascript")
_LAST_STRETCH: Final = 150  # characters before the limit in which no sentence begins: it might not end in time
_SHARE: Final = 10  # and a tenth of the limit at most
# Fewer letters of a spelling reveal nothing, and matching them would hold back the end of every other word.
_HELD_LETTERS: Final = 3


@dataclass(slots=True)
class LengthLimit:
    """Ends an answer that grows longer than `max_chars`: after a whole sentence if one ends shortly before the limit,
    else after a word. All text is returned at once; nothing is held back until its sentence ends."""

    max_chars: int
    is_reached: bool = False
    _shown: int = 0
    _open: str = ""  # text already shown; near the limit, only what follows the last sentence
    _decided: int = 0  # characters of it that cannot contain an end any more

    def take(self, text: str) -> str:
        """The text that may be shown now."""
        whole, seen = self._open + text, len(self._open)
        limit = self.max_chars - self._shown + seen  # in `whole`
        stretch = limit - min(_LAST_STRETCH, self.max_chars // _SHARE)
        if len(whole) <= stretch:  # far from the limit it does not matter where sentences end
            self._shown, self._open = self._shown + len(text), whole
            return text
        ends = statement_ends(whole, self._decided)
        is_over = len(whole) > limit
        last = [end for end in ends if len(whole[:end].rstrip()) <= limit and whole[end:].strip()]
        if last and (last[-1] > stretch or (is_over and last[-1] >= seen)):
            self.is_reached = True
            return whole[seen : last[-1]].rstrip()
        if is_over:
            self.is_reached = True
            return self._cut(text, limit - seen)
        self._shown += len(text)
        start = max((end for end in ends if end < len(whole)), default=0)
        self._open = whole[start:]
        self._decided = undecided_from(self._open)
        return text

    def _cut(self, text: str, room: int) -> str:
        cut = _cut_at_word(text, room)
        is_in_word = not text[len(cut) : len(cut) + 1].isspace()
        return "" if is_in_word and self._shown and not any(map(str.isspace, cut)) else cut


class SecretWatch:
    """Finds the secret (ASCII letters and digits) plain, spaced out or with marks between, in any case, backwards, in
    rot13, in hexadecimal, and in base64 at any place of a longer text. An empty secret is never found."""

    def __init__(self, secret: str) -> None:
        self._spellings = _spellings(secret) if secret else ()
        self._all_spellings = "\n".join(self._spellings)
        self._longest = max(map(len, self._spellings), default=0)
        self._fewest = min(map(len, self._spellings), default=0) - _HELD_LETTERS + 1  # of one that are not shown yet
        self._before = ""  # the last letters that were shown
        self._looked_at = self._letters_there = ""  # the last text: each is checked about three times

    def is_in(self, pending: str) -> bool:
        """Whether the shown text and `pending` together contain it."""
        own = self._letters_of(pending)
        return len(own) >= self._fewest and any(spelling in self._before + own for spelling in self._spellings)

    def overlap(self, pending: str) -> int:
        """How many characters at the end of `pending` may be the beginning of it."""
        own = self._letters_of(pending)
        letters = self._before + own
        end = letters[-_HELD_LETTERS:]
        # Most text ends in letters that are adjacent in no spelling; this runs for every token.
        held = min(self._longest_begin(letters), len(own)) if end and end in self._all_spellings else 0
        if not held:
            return 0
        at = len(pending)
        while held:
            at -= 1
            held -= pending[at].isalnum()
        return len(pending) - at

    def shown(self, text: str) -> None:
        """Record that `text` was shown."""
        if self._spellings:
            self._before = (self._before + self._letters_of(text))[-self._longest :]

    def _letters_of(self, text: str) -> str:
        if text != self._looked_at:
            self._looked_at, self._letters_there = text, _letters(text)
        return self._letters_there

    def _longest_begin(self, letters: str) -> int:
        """How many letters at the end are the beginning of a spelling; 0 for fewer than _HELD_LETTERS."""
        begun = (each[:size] for each in self._spellings for size in range(_HELD_LETTERS, len(each)))
        return max(map(len, filter(letters.endswith, begun)), default=0)


@dataclass(slots=True)
class OutputGuard:
    """Checks one answer. Feed it deltas, then `close` it; what it returns may be shown.

    `sources` are the numbers that may be cited. Links may lead to `link_hosts` (lower case; ".example.com" also allows
    every host below it) and `link_targets` (whole addresses). `canary` must never be released, however it is spelt;
    `max_chars` bounds the released text. In code, a URL stays if it is in `source_text`, the text of the sources. With
    `spellings`, the text is a model's, whose citations are understood however they are spelt; else it is a quotation,
    of whose links only the labels count towards `max_chars`.
    """

    sources: set[int]
    link_hosts: Collection[str]
    max_chars: int
    canary: str = ""
    source_text: str = ""
    link_targets: Collection[str] = ()
    spellings: CitationSpellings | None = None
    finish: Finish | None = None  # set when the guard ended the answer
    cited: list[int] = field(default_factory=list)  # source numbers, in the order of their new numbers 1, 2, 3 ...
    _pending: str = ""
    _before: str = ""  # the last characters before what is rewritten
    _code: StreamedCode = field(default_factory=StreamedCode)
    _controls: StreamedControls = field(default_factory=StreamedControls)
    _secret: SecretWatch = field(init=False)
    _length: LengthLimit = field(init=False)
    _urls_of_sources: frozenset[str] | None = None  # computed for the first address in code

    def __post_init__(self) -> None:
        self._secret = SecretWatch(self.canary)
        self._length = LengthLimit(self.max_chars)

    def admit(self, number: int) -> None:
        """Allow one more source to be cited."""
        self.sources.add(number)

    def feed(self, delta: str) -> str:
        """Take the next piece; return what may be shown now, possibly nothing."""
        if self.finish is not None:
            return ""
        self._pending += self._controls.feed(delta)
        if self._secret.is_in(self._pending):
            self.finish, self._pending = Finish.CONTENT_FILTER, ""
            return ""
        return self._release(self._safe_length())

    def close(self) -> str:
        """End the text; return the rest."""
        if self.finish is not None:
            return ""
        return self._release(len(self._pending))

    def _release(self, length: int) -> str:
        ready, self._pending = self._pending[:length], self._pending[length:]
        self._secret.shown(ready)
        written = self._rewritten(ready)
        if not self.spellings:
            self._length.max_chars += sum(len(link.group()) - len(link["label"]) for link in _LINK.finditer(written))
        shown = self._length.take(written)
        if self._length.is_reached:
            self.finish, self._pending = Finish.LENGTH, ""
        return shown

    def _safe_length(self) -> int:
        """The length before the first construct that may still grow, and before the word that ends in it."""
        border = len(self._pending) - self._secret.overlap(self._pending)
        text = self._pending[:border]
        if not self._begins_construct(text):
            return _start_of_last_word(text)
        still_open = (_STILL_OPEN_FOR_SPELLINGS if self.spellings else _STILL_OPEN).search(text)
        safe = still_open.start() if still_open else border
        if safe < border and text[safe] not in _OF_A_SCHEME:
            safe = _start_of_last_word(text[:safe])  # the word ends in the construct, and the limit cuts between words
        for link in self._links.finditer(text):
            if link.start() < safe < link.end():
                return link.start()
        return safe

    @property
    def _links(self) -> re.Pattern[str]:
        return _MODELS_LINK if self.spellings else _LINK

    def _begins_construct(self, text: str) -> bool:
        return bool((_OF_A_SPELLING if self.spellings else _OF_A_CONSTRUCT).search(text))

    def _rewritten(self, text: str) -> str:
        """Code keeps its brackets, prose gets its citations; links are checked in both."""
        if not self._code.opened_by and not self._begins_construct(text):
            self._before = (self._before + text)[-_LOOKED_BACK:]
            return text
        parts: list[str] = []
        for piece in _BACKTICKS.split(text):
            if piece == "\n" or piece.startswith("`"):
                self._code.feed(piece)
            else:
                piece = self._code_as_it_is(piece) if self._code.opened_by else self._prose(piece)
            self._before = (self._before + piece)[-_LOOKED_BACK:]
            parts.append(piece)
        return "".join(parts)

    def _prose(self, text: str) -> str:
        prose, position = "", 0
        for match in self._links.finditer(text):
            prose += self._unlinked(text[position : match.start()], self._before + prose)
            prose += self._link(match)
            position = match.end()
        prose += self._unlinked(text[position:], self._before + prose)
        return _SAME_TWICE.sub(r"\1", prose) if self.spellings else prose

    def _unlinked(self, text: str, before: str = "") -> str:
        if self.spellings:  # before addresses, which may get marks that are final
            spellings = self.spellings
            text = citation_pattern().sub(lambda match: self._spelt(match, before, spellings), text)
        else:
            text = _CITATION.sub(self._citation, text)
        text = self._without_foreign_urls(text)
        return _REFERENCE_TARGET.sub(r"\1\2", _REFERENCE_PICTURE.sub("", text))

    def _code_as_it_is(self, text: str) -> str:
        """Keeps addresses that the site itself has: in code they are no links, and code without them is wrong."""
        if self._urls_of_sources is None:
            urls = (found.group().rstrip(_TRAILING) for found in _URL.finditer(self.source_text))
            self._urls_of_sources = frozenset(urls)
        return self._without_foreign_urls(text, self._urls_of_sources)

    def _without_foreign_urls(self, text: str, known: Collection[str] = ()) -> str:
        return _SCRIPT_SCHEME.sub(r"\1 ", _URL.sub(lambda found: self._url(found, known), text))

    def _link(self, match: re.Match[str]) -> str:
        if self.spellings and "![" not in match.group():
            return self._link_to_source(match, self.spellings)
        label, target = match["label"], match["target"]
        if match.group().startswith("!") or not self._may_link(target):
            return self._unlinked(label)
        return f"[{label if target in self.link_targets else self._unlinked(label)}]({target})"

    def _link_to_source(self, match: re.Match[str], spellings: CitationSpellings) -> str:
        """Replace a link by a citation if its label is a number or it stands in brackets; else keep the link, followed
        by a citation if its target is a source."""
        label, target, opened = match["label"].strip("[]"), spellings.resolved(match["target"]), match["opened"] or ""
        number = spellings.of_url(target)
        named = citation_pattern().fullmatch(f"[{label}]")
        is_number = named is not None and named.lastgroup != "title"
        listed = spellings.numbers(named, "") if named and is_number else [number] if number else []
        if (is_number or opened) and (marks := self._marks(listed or ())):
            return marks
        shown = self._unlinked(label)
        linked = f"[{shown}]({target})" if self._may_link(target) else shown
        linked = f"{opened}{linked})" if opened else linked
        return f"{linked} {self._marks([number])}" if number in self.sources else linked

    def _url(self, match: re.Match[str], known: Collection[str]) -> str:
        target = match.group().rstrip(_TRAILING)
        tail = match.group()[len(target) :]
        full = target if "://" in target else f"https://{target.lstrip('/')}"
        if self.spellings and not known and (number := self.spellings.of_url(full)) in self.sources:
            return f"{target} {self._marks([number])}{tail}"
        may_stay = self._may_link(full) or target in known
        return target + tail if may_stay else REMOVED_LINK + tail

    def _may_link(self, target: str) -> bool:
        return target in self.link_targets or is_on_host(target, self.link_hosts)

    def _citation(self, match: re.Match[str]) -> str:
        numbers = (int(number) for number in re.findall(r"\d+", match.group(1) or match.group(2)))
        return self._marks(dict.fromkeys(numbers))

    def _spelt(self, match: re.Match[str], before: str, spellings: CitationSpellings) -> str:
        before += match.string[: match.start()]
        numbers = spellings.numbers(match, before)
        if numbers is None:
            return match.group()
        if match.lastgroup == "bare" and not all(number in self.sources for number in numbers):
            return match.group()
        marks = self._marks(numbers)
        if marks and before.rstrip().endswith(marks):
            return ""
        is_attached = match.lastgroup in _ATTACHED and before[-1:].isascii() and not before[-1:].isspace()
        return f" {marks}" if marks and before and is_attached else marks

    def _marks(self, numbers: Iterable[int]) -> str:
        return "".join(f"[{self._renumbered(number)}]" for number in numbers if number in self.sources)

    def _renumbered(self, number: int) -> int:
        if number not in self.cited:
            self.cited.append(number)
        return self.cited.index(number) + 1


def is_on_host(target: str, hosts: Collection[str]) -> bool:
    """Whether it is a web address on one of the hosts, as `OutputGuard.link_hosts` lists them, and names no user."""
    scheme, _, rest = target.partition("://")
    if scheme.lower() not in {"http", "https"} or "@" in rest.split("/", 1)[0]:
        return False
    host = host_of(target)
    return any(host == allowed or (allowed.startswith(".") and host.endswith(allowed)) for allowed in hosts)


def _start_of_last_word(text: str) -> int:
    """The match of _STILL_OPEN in a text without any construct: the beginning of a scheme, or "data" and blanks."""
    start = max(len(text.rstrip(_OF_A_SCHEME)), len(text) - _LONGEST_SCHEME)
    words = text.rstrip()
    if words[-1:] in "tTaA" and (begun := _SCRIPT_BEGUN.search(words[-_LONGEST_SCRIPT:])):
        start = min(start, len(words) - len(begun.group()))
    return start


def _cut_at_word(text: str, room: int) -> str:
    """At most `room` characters, never ending inside a link, because half a URL may name another host."""
    for construct in (_LINK, _URL):
        for match in construct.finditer(text):
            if match.start() < room < match.end():
                room = match.start()
    cut = text[:room]
    if len(cut) < len(text) and " " in cut[-40:]:
        cut = cut.rsplit(" ", 1)[0]
    return cut.rstrip()


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _spellings(secret: str) -> tuple[str, ...]:
    raw = secret.encode("ascii")
    plain = [secret, secret[::-1], codecs.encode(secret, "rot13"), raw.hex()]
    in_base64 = [_core_in_base64(raw, lead) for lead in range(3)]
    return tuple(_letters(spelling) for spelling in (*plain, *in_base64))


def _core_in_base64(raw: bytes, lead: int) -> str:
    """The base64 characters (six bits each) that depend on `raw` alone if `lead` bytes of a longer text precede it."""
    first, end = -(-8 * lead // 6), 8 * (lead + len(raw)) // 6
    return base64.b64encode(bytes(lead) + raw).decode()[first:end]
