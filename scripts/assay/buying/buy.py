"""The one way to an answer: from the store if it's there, else bought once."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from assay.buying.settings import JudgeSettings
from assay.canonical import sha256
from assay.store import Exchange, Store

if TYPE_CHECKING:
    from assay.buying.clock import Clock


def answer(
    request: dict,
    judge: JudgeSettings,
    images: Mapping[str, bytes],
    store_root: Path,
    clock: "Clock | None" = None,
    environ: Mapping[str, str] | None = None,
) -> Exchange:
    """Return the exchange of `request`: replayed from the store without key or network, or bought and stored first.

    `images` are the bytes of the request's images by SHA-256. Two processes that ask for one request send it once: the
    second waits for the first and replays its answer.

    The exchange may also hold the API's refusal of this packet alone (content filter, too large), which is kept so
    that it is not asked for again at every start. Raises WrongModel where another model answered (also on replay),
    CallFailed where this request alone could not be answered, RunStopped where no call of this run can succeed, its
    subclass OverBudget where none is affordable: all of them UserErrors with a message for the user.
    """
    sha, store = sha256(request), Store(store_root)
    found = store.get(sha)
    if found is None:
        from assay.buying.locks import exclusive, request_lock

        with exclusive(request_lock(store_root, sha)):
            found = store.get_fresh(sha)  # another process may have bought it while we waited
            if found is None:
                return _buy(request, judge, images, store_root, clock, environ)
    from assay.buying.outcome import check_stored

    check_stored(found, judge, store.path(sha))
    return found


def _buy(request, judge, images, store_root, clock, environ) -> Exchange:
    from assay.buying.clock import Clock
    from assay.buying.purchase import Purchase

    environ = os.environ if environ is None else environ
    return Purchase(request, judge, images, store_root, clock or Clock(), environ).make()
