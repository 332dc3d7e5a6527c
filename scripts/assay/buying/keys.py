"""Keys: read from the environment alone, checked before use, shown by no message."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from assay.problems import UserError

SHORTEST_KEY = 8


def read_key(name: str, environ: Mapping[str, str]) -> str:
    """Return the key held by the environment variable `name`, without surrounding white space.

    Raises UserError, which never shows the key, where it is missing or cannot be one.
    """
    key = environ.get(name, "").strip()
    if not key:
        raise UserError(
            f"the environment variable {name} is empty or not set. Put the API key into it and start again."
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UserError(
            f"the environment variable {name} holds something that is no API key: "
            "spaces, line breaks or characters outside ASCII. Set it again from the provider's page."
        )
    if len(key) < SHORTEST_KEY:
        raise UserError(
            f"the environment variable {name} holds fewer than {SHORTEST_KEY} characters, too few to tell a key from "
            "ordinary text. If the server needs no key, remove key_env from this provider in the configuration."
        )
    return key


def check_address(url: str) -> None:
    """Raise UserError unless `url` is https, or http to this machine, without a name or password in it."""
    parts = urlsplit(url)
    if parts.username is not None or parts.password is not None:
        raise UserError(f"the address of {parts.hostname} holds a name or password. Take it out of base_url.")
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and _is_loopback(parts.hostname):
        return
    raise UserError(
        f"{parts.scheme}://{parts.hostname} is not a safe address for a key and the packets. "
        "base_url must begin with https://, or with http:// for a server on this machine (localhost, 127.0.0.1, [::1])."
    )


def _is_loopback(host: str | None) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
