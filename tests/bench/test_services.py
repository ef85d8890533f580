"""The chat model of the benchmarks."""

from bench.serving.services import cited_sentence

SHORT = '<source id="1" title="Menu">\n# Menu\n\nSoups\n</source>'
LONG = '<source id="4" section="Help > Returns">\n# Returns\n\nYou may send it back within 30 days. Others.\n</source>'


def test_it_cites_the_first_source_that_says_something_in_a_sentence() -> None:
    assert cited_sentence(f"{SHORT}\n{LONG}\n\nHow long?") == "You may send it back within 30 days. [4]\n\n"


def test_without_sources_it_cites_nothing() -> None:
    assert cited_sentence("How long?") == ""
