from app.core.origin import is_public_suffix
from tests.every_row import every_row


@every_row("host", ["com", "co.uk", "github.io", "anything.ck", "xn--55qx5d.cn", "xn--fiqs8s"])
def test_everybody_may_register_a_name_below_it(host: str) -> None:
    assert is_public_suffix(host)


@every_row("host", ["example.co.uk", "example.com", "www.ck", "docs.github.io", "localhost", ""])
def test_a_domain_of_ones_own_is_none(host: str) -> None:
    assert not is_public_suffix(host)
