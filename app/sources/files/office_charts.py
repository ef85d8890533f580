"""What a chart in an Office file says: its titles, and the values that it draws, which the file keeps beside it."""

from itertools import zip_longest
from typing import Any, Final

from app.sources.files.office_parts import one_line
from app.sources.files.table_text import written_rows

_MOST_POINTS: Final = 50  # more are a curve, which nobody reads as figures


def chart_texts(chart: Any) -> list[str]:
    """Titles and a table as Markdown, of a <c:chartSpace> in the interface of ElementTree."""
    titles = [_text(title) for title in chart.iterfind(".//{*}title")]
    series = list(chart.iterfind(".//{*}ser"))
    columns = [_points(each, "val", "yVal") for each in series]
    texts = [" · ".join(title for title in titles if title)]
    if columns and 0 < max(map(len, columns)) <= _MOST_POINTS:
        names = [" ".join(_points(each, "tx")) for each in series]
        rows = zip_longest(_points(series[0], "cat", "xVal"), *columns, fillvalue="")
        texts.append(written_rows(["", *names], [list(row) for row in rows]))
    return [text for text in texts if text]


def _text(title: Any) -> str:
    told = title.iterfind("./{*}tx//{*}t") if title.find(".//{*}t") is not None else title.iterfind("./{*}tx//{*}v")
    return one_line("".join(each.text or "" for each in told))


def _points(series: Any, *names: str) -> list[str]:
    """The values of the first of these parts that there is, in order; those that are missing are ""."""
    part = next((one for name in names if (one := series.find(f"./{{*}}{name}")) is not None), None)
    found: dict[int, str] = {}
    for point in part.iterfind(".//{*}pt") if part is not None else ():
        found[int(point.get("idx", "0"))] = one_line(point.findtext("./{*}v") or "")
    last = min(max(found, default=-1), _MOST_POINTS)
    return [_shown(found.get(place, "")) for place in range(last + 1)]


def _shown(value: str) -> str:
    """A number as people write it: 4.3 is kept as 4.2999999999999998."""
    try:
        return f"{float(value):.10g}" if "." in value else value
    except ValueError:
        return value
