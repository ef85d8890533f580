"""`python -m tests.nemesis.skewed_docent SECONDS serve ...`: the command `docent` on a machine whose clock is so many
seconds ahead."""

import sys
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

from app.cli import main
from app.kit.clock import SystemClock


def main_ahead() -> None:
    ahead = timedelta(seconds=float(sys.argv.pop(1)))

    def now(_clock: SystemClock) -> datetime:
        return datetime.now(UTC) + ahead

    with patch.object(SystemClock, "now", now):
        main()


if __name__ == "__main__":
    main_ahead()
