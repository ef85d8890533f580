"""Shell as the documentation writes it, taken apart."""

from tests.docs.shell_commands import commands
from tests.every_row import every_row


@every_row(
    ("code", "expected"),
    [
        ("make demo   # reads it\n", [["make", "demo"]]),
        ('docent ask "How long?" --json', [["docent", "ask", "How long?", "--json"]]),
        ("TOKEN=$(docent token create x)", [["docent", "token", "create", "x"]]),
        ("A=1 B=2 docent serve && echo done", [["docent", "serve"], ["echo", "done"]]),
        ("printf x | openssl dgst > out.txt", [["printf", "x"], ["openssl", "dgst"]]),
        ("curl -X POST URL \\\n  -d '{\"a\": 1}'", [["curl", "-X", "POST", "URL", "-d", '{"a": 1}']]),
        ("api() { curl -sS \"http://host$@\"; }\n", [["api"], ["curl", "-sS", "http://host$@"]]),
        ("cat > a.html <<'HTML'\n<p>docent serve</p>\nHTML\nls", [["cat"], ["ls"]]),
        ("python3 -c 'import a\nimport b'", [["python3", "-c", "import a\nimport b"]]),
    ],
)  # fmt: skip
def test_its_commands_are_found(code: str, expected: list[list[str]]) -> None:
    assert [command.words for command in commands(code) if command.words] == expected


def test_what_is_fed_to_a_command_and_what_is_set_for_it_stand_beside_it() -> None:
    [command] = commands("DOCENT_PORT=1 cat <<X\nhello\nX\n")
    assert (command.words, command.settings, command.fed) == (["cat"], ["DOCENT_PORT=1"], "hello\n")
