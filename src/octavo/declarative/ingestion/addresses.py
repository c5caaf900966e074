"""Which network addresses a URL may lead to."""

import ipaddress
from ipaddress import IPv4Address, IPv6Address

_TRANSLATED = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "::ffff:0:0:0/96")))
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            *("192.0.0.0/24", "192.88.99.0/24"),
            *("64:ff9b:1::/48", "fec0::/10", "3fff::/20", "5f00::/16"),
        ),
    )
)
"""Special networks that some versions of Python take for public ones (registries of IANA)."""


def is_public(address: str) -> bool:
    """Whether an address is one of the public internet, also where it is written inside another.

    Private, local, link-local (where clouds keep credentials), shared, multicast and reserved
    addresses are none, nor are IPv6 addresses that stand for such an IPv4 address.

    Examples
    --------
    >>> is_public("1.1.1.1"), is_public("::ffff:127.0.0.1"), is_public("169.254.169.254")
    (True, False, False)
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return all(map(_is_public, _meant(parsed)))


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    special = any(address in network for network in _NOT_PUBLIC)
    return address.is_global and not address.is_multicast and not special


def _meant(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """Return the address, or the IPv4 addresses that it stands for."""
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.teredo is not None:
        return [address, *address.teredo]
    if address.sixtofour is not None:
        return [address, address.sixtofour]
    if any(address in each for each in _TRANSLATED) or int(address) >> 32 == 0:
        return [address, IPv4Address(int(address) & 0xFFFF_FFFF)]
    return [address]
