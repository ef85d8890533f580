"""Mailers of an installation with a mail server, and of one without."""

from app.mail.mailer import Mailer
from app.webhooks.notices.notices import NoticeMails

MAILER = Mailer(is_on=True, public_url="https://docent.example.com")
NO_MAIL = NoticeMails(Mailer(is_on=False, public_url=""))
