"""Stores a mail in the transaction of a use case, for a worker to send."""

from dataclasses import replace
from uuid import UUID

from app.mail.mail import Mail, checked_mail_address
from app.mail.records import MailRecords
from app.store.system_of_record import Transaction


class Mailer:
    """`is_on` if the installation has a mail server. `public_url` is where people open Docent, "" if it is not set."""

    def __init__(self, *, is_on: bool, public_url: str) -> None:
        self.is_on = is_on
        self._public_url = public_url

    def put(self, tx: Transaction, workspace_id: UUID, mail: Mail) -> None:
        """Send the mail once this transaction is committed, and never if it is not. For installations with mail that
        `is_on`. Raises InvalidInput for "email" if no mail can be sent to the address."""
        MailRecords(tx).add(workspace_id, replace(mail, to=checked_mail_address("email", mail.to)))

    def put_and_drop(self, tx: Transaction, workspace_id: UUID, mail: Mail) -> None:
        """Takes as long as `put` but sends nothing, so that the time does not reveal whether there was a recipient."""
        MailRecords(tx).sent(
            MailRecords(tx).add(workspace_id, replace(mail, to=checked_mail_address("email", mail.to)))
        )

    def url(self, path: str) -> str:
        """The address of a page of Docent with this path, such as "/console/operators"."""
        return self._public_url + path

    def whole_url(self, path: str) -> str:
        """The absolute address for readers elsewhere; "" if no public URL is set."""
        return self.url(path) if self._public_url else ""
