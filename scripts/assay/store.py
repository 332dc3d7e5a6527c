"""The store: every answer that was paid for, kept for ever under the SHA-256 of its request."""

import base64
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from assay import problems
from assay.canonical import loads, sha256
from assay.files import AnyPath, write_json

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = "assay-exchange-1"
DOUBTFUL_FORMAT = "assay-doubtful-1"

_KEPT_HEADERS = re.compile(
    r"content-type|retry-after(-ms)?|(x-)?request-id|x-generation-id|(x|anthropic)-ratelimit-[a-z-]+"
    r"|x-openrouter-cache-[a-z-]+|assay-recovered"
)
_NAME = re.compile(r"[0-9a-f]{64}")


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the response headers worth keeping, in lower case: request ids, rate limits, type; no key, no cookie."""
    lower = {name.lower(): value for name, value in headers.items()}
    return {name: lower[name] for name in sorted(lower) if _KEPT_HEADERS.fullmatch(name)}


class Exchange(NamedTuple):
    """One request with its whole answer. `body` is the answer's bytes; `sent` and `received` are ISO UTC seconds."""

    request: dict
    status: int
    headers: dict[str, str]
    body: bytes
    sent: str
    received: str

    @property
    def sha(self) -> str:
        """The exchange's name: the SHA-256 of the request's canonical JSON."""
        return sha256(self.request)

    @property
    def response_sha256(self) -> str:
        """The SHA-256 of the canonical JSON of the response (status, headers, body, times)."""
        return sha256(self._response())

    def _response(self) -> dict:
        response: dict = {"headers": self.headers, "received": self.received, "sent": self.sent, "status": self.status}
        try:
            response["body"] = self.body.decode("utf-8")
        except UnicodeDecodeError:
            response["body_base64"] = base64.b64encode(self.body).decode("ascii")
        return response

    def document(self) -> dict:
        """Return what the exchange's file holds."""
        return {
            "format": FORMAT,
            "request": self.request,
            "response": self._response(),
            "response_sha256": self.response_sha256,
        }


def read_document(document: object, sha: str) -> Exchange:
    """Return the exchange of a file's parsed JSON. Raises ValueError where it isn't the whole exchange named `sha`."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"it is not in the format {FORMAT}")
    try:
        request, response, recorded = document["request"], document["response"], document["response_sha256"]
        body = (
            response["body"].encode()
            if "body" in response
            else base64.b64decode(response["body_base64"], validate=True)
        )
        exchange = Exchange(
            request, response["status"], response["headers"], body, response["sent"], response["received"]
        )
        name, found = exchange.sha, exchange.response_sha256
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a part is missing or of the wrong kind: {error}") from None
    if name != sha:
        raise ValueError("its request does not hash to its name")
    if found != recorded:
        raise ValueError("its response does not match the recorded hash")
    return exchange


class Store:
    """The folder of exchanges: `{first two hex digits}/{sha256}.json` under `root`."""

    def __init__(self, root: AnyPath) -> None:
        self._root = os.fspath(root)

    @property
    def root(self) -> "Path":
        """The store's folder."""
        from pathlib import Path  # late: a replay does without it

        return Path(self._root)

    def path(self, sha: str) -> "Path":
        """Return the file of the exchange named `sha`."""
        return self.root / sha[:2] / f"{sha}.json"

    def names(self) -> Iterator[str]:
        """Yield the names of all exchanges in order."""
        for path in sorted(self.root.glob("[0-9a-f][0-9a-f]/*.json")):
            if _NAME.fullmatch(path.stem) and path.stem.startswith(path.parent.name):
                yield path.stem

    def get(self, sha: str) -> Exchange | None:
        """Return the stored exchange, or None. A damaged file is moved to `corrupt/` with a message, and not used."""
        try:
            return self._read(sha)
        except FileNotFoundError:
            return None
        except ValueError:
            return self._set_damaged_aside(sha)

    def get_fresh(self, sha: str) -> Exchange | None:
        """Return what `get` does, also where another machine has stored it a moment ago.

        A network file system may remember for a minute that there was no such file; opening its folders ends that.
        """
        for folder in (self.root, self.path(sha).parent):
            with suppress(FileNotFoundError):
                os.close(os.open(folder, os.O_RDONLY))
        return self.get(sha)

    def put(
        self, request: dict, status: int, headers: Mapping[str, str], body: bytes, sent: str, received: str
    ) -> Exchange:
        """Keep one answer; it is on the disk when this returns. The caller has removed every key from it."""
        exchange = Exchange(request, status, kept_headers(headers), body, sent, received)
        write_json(self.path(exchange.sha), exchange.document(), durable=True)
        return exchange

    def keep_doubtful(
        self, request: dict, attempt: int, why: str, status: int, headers: Mapping[str, str], body: bytes, time: str
    ) -> "Path":
        """Keep the bytes of an answer that cannot be used but may have been billed, for a person to look at."""
        kept = Exchange(request, status, kept_headers(headers), body, time, time)
        path = self.root / "doubtful" / f"{kept.sha}.{attempt}.json"
        write_json(path, {**kept.document(), "format": DOUBTFUL_FORMAT, "why": why}, durable=True)
        return path

    def _read(self, sha: str) -> Exchange:
        with open(os.path.join(self._root, sha[:2], f"{sha}.json"), "rb") as file:
            return read_document(loads(file.read()), sha)

    def _set_damaged_aside(self, sha: str) -> Exchange | None:
        from assay.buying.locks import exclusive

        with exclusive(self.root / "locks" / "corrupt"):
            try:  # another process may have moved it, and even bought it again, before we held the lock
                return self._read(sha)
            except FileNotFoundError:
                return None
            except ValueError as error:
                return self._move(sha, error)

    def _move(self, sha: str, error: ValueError) -> None:
        folder = self.root / "corrupt"
        folder.mkdir(parents=True, exist_ok=True)
        number = 1 + sum(1 for _ in folder.glob(f"{sha}.*.json"))
        while (target := folder / f"{sha}.{number}.json").exists():
            number += 1
        self.path(sha).rename(target)
        problems.log(
            f"{self.path(sha)}: this stored answer is damaged ({error}). It was moved to {target} and is not used. "
            "Put a sound copy back from a backup, or the answer will be bought again."
        )
