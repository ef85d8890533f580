"""The gallery has every variable of the widget's style sheets, with its default."""

from tests.docs.widget_looks import DOCUMENT, MEANINGS, defaults, renewed, table


def test_every_variable_is_there_with_its_default() -> None:
    assert defaults().keys() == MEANINGS.keys()
    document = DOCUMENT.read_text("utf-8")
    assert table() in document, "run `make reference`"
    assert renewed(document) == document
    assert "| `--docent-code-comment` | comments in code | `#5b6472` in light, `#a3abba` in dark |" in document
