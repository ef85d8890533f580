"""Search as visitors type, as a guest of the core."""

from typing import Final

from app.feature import Edge, Feature


def _edge() -> Edge:
    from app.live_chat.api.widget_person import WidgetPerson
    from app.page_search.api import WidgetSearch

    return Edge({WidgetSearch: WidgetPerson})


FEATURE: Final = Feature(name="page_search", edge=_edge)
