"""E-mail to an agent: a mailbox is read, and what the agent is sure of is answered there."""

from app.feature import Edge, Feature, Job, Work


def _edge() -> Edge:
    from app.mailbox.api import AdminMailboxes
    from app.mailbox.pages import MailboxPages
    from app.webhooks.api import AdminWebhooks

    return Edge({AdminMailboxes: AdminWebhooks}, (MailboxPages,))


def _work() -> Work:
    from app.mailbox.mail_reading import MailReading

    return Work((Job(5, "mailboxes", MailReading, MailReading.read_due),))


FEATURE = Feature(name="mailbox", edge=_edge, work=_work)
