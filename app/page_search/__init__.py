"""Search as visitors type, in the widget."""

from app.feature import Edge, Feature


def _edge() -> Edge:
    from app.conversations.privacy.api import WidgetTranscripts
    from app.page_search.api import WidgetSearch

    return Edge({WidgetSearch: WidgetTranscripts})


FEATURE = Feature(name="page_search", edge=_edge)
