"""Mails to operators about events of their workspace's agents."""

from app.feature import Edge, Feature, Work


def _edge() -> Edge:
    from app.webhooks.notices.pages import NoticePages

    return Edge(pages=(NoticePages,))


def _work() -> Work:
    from app.webhooks.notices.notices import NoticeMails

    return Work(takers=(NoticeMails,))


FEATURE = Feature(name="notices", edge=_edge, work=_work)
