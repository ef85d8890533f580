from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from hypothesis import given
from hypothesis import strategies as st

from crawler.address_policy import EMBEDDING_IPV6, REFUSED_IPV4, REFUSED_IPV6, AddressPolicy
from tests.every_row import every_row

POLICY = AddressPolicy()


@given(st.data())
def test_no_address_of_a_refused_block_gets_through(data: st.DataObject) -> None:
    blocks = [ip_network(str(block)) for block, _ in (*REFUSED_IPV4, *REFUSED_IPV6)]
    address = data.draw(st.sampled_from(blocks).flatmap(lambda block: st.ip_addresses(network=block)))
    assert POLICY.refusal(address)


@given(st.data())
def test_an_embedded_address_is_judged_like_the_address_itself(data: st.DataObject) -> None:
    inner = data.draw(st.ip_addresses(v=4))
    prefix = data.draw(st.sampled_from(EMBEDDING_IPV6))
    outer = IPv6Address(int(prefix.network_address) | int(inner))
    assert bool(POLICY.refusal(outer)) == bool(POLICY.refusal(inner))


@given(st.ip_addresses(v=6))
def test_ipv6_outside_global_unicast_is_refused(address: IPv6Address) -> None:
    if address in ip_network("2000::/3") or any(address in block for block in EMBEDDING_IPV6):
        return
    assert POLICY.refusal(address)


@given(st.ip_addresses(v=4))
def test_what_python_calls_private_is_refused(address: IPv4Address) -> None:
    if not address.is_global or address.is_multicast:
        assert POLICY.refusal(address)


@every_row("text", ["168.63.129.16", "192.88.99.1", "192.0.0.9", "239.1.2.3", "64:ff9b:1::1", "3fff::1"])
def test_special_addresses_that_look_public_are_refused(text: str) -> None:
    assert POLICY.refusal(ip_address(text))


@every_row("text", ["8.8.8.8", "168.63.129.15", "2606:4700::1", "2001:4860:4860::8888", "::ffff:8.8.8.8"])
def test_public_addresses_pass(text: str) -> None:
    assert POLICY.refusal(ip_address(text)) is None


@given(st.ip_addresses(), st.integers(1, 65535))
def test_an_allowed_endpoint_allows_nothing_else(address: IPv4Address | IPv6Address, port: int) -> None:
    policy = AddressPolicy(frozenset({("127.0.0.1", 8123)}))
    is_that_one = (str(address), port) == ("127.0.0.1", 8123)
    assert policy.allows_literal(address, port) == is_that_one
    assert bool(policy.refusal(address)) == bool(POLICY.refusal(address))
