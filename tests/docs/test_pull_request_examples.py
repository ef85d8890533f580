"""The repository that the guide names, and the files that it says pages are."""

import json
import re
from uuid import uuid4

from app.gaps.pull_requests.api import RepositoryIn
from app.gaps.pull_requests.pull_request import Repository, check_repository
from tests.docs.fenced_blocks import ROOT, blocks
from tests.every_row import every_row

PAGE = "docs/how-to/pull-requests.md"
ROWS = re.findall(r"^\| `(https://[^`]+)` \| (.+) \|$", (ROOT / PAGE).read_text("utf-8"), re.MULTILINE)


@every_row(("url", "files"), ROWS)
def test_a_page_is_the_files_that_the_guide_says(url: str, files: str) -> None:
    [body] = [block.code for block in blocks() if block.page == PAGE and block.language == "json"]
    given = RepositoryIn.model_validate_json(body).model_dump(exclude={"token"})
    repository = Repository(uuid4(), uuid4(), **given)
    check_repository(repository)
    assert json.loads(body)["owner"] == repository.owner
    assert list(repository.files_of(url)) == re.findall(r"`([^`]+)`", files)
