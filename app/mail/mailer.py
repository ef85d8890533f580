"""Where a use case leaves a mail: in its own transaction, for a worker to send."""

from dataclasses import replace
from uuid import UUID

from app.mail.mail import Mail, checked_mail_address
from app.mail.records import MailRecords
from app.store.system_of_record import Transaction


class Mailer:
    """`is_on` where the installation has a mail server. `public_url` is where people open Docent, "" where no setting
    says so."""

    def __init__(self, *, is_on: bool, public_url: str) -> None:
        self.is_on = is_on
        self._public_url = public_url

    def put(self, tx: Transaction, workspace_id: UUID, mail: Mail) -> None:
        """Sent once this transaction is committed, and not at all where it is not. For installations with mail that
        `is_on`. Raises InvalidInput for "email" when no mail can be sent to the address."""
        MailRecords(tx).add(workspace_id, replace(mail, to=checked_mail_address("email", mail.to)))

    def put_and_drop(self, tx: Transaction, workspace_id: UUID, mail: Mail) -> None:
        """Costs what `put` does, and sends nothing: nobody learns by a clock whether there was somebody to write to."""
        MailRecords(tx).sent(
            MailRecords(tx).add(workspace_id, replace(mail, to=checked_mail_address("email", mail.to)))
        )

    def url(self, path: str) -> str:
        """Of a page of ours, by its path, such as "/console/operators"."""
        return self._public_url + path

    def whole_url(self, path: str) -> str:
        """The same for those who cannot know where we are; "" where no setting says so."""
        return self.url(path) if self._public_url else ""
