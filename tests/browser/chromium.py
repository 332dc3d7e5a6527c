"""A headless Chromium, spoken to in its DevTools protocol over a pipe: no driver, no library, no port, no network."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"),
    *("--disable-extensions", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe"),
)
DEADLINE = 60  # seconds for one answer: a shared machine may be slow


def browser() -> str | None:
    """Return the path of a Chromium on this machine, None if there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class ChromiumError(Exception):
    """The browser answered with an error, not in time, or a script in the page failed."""


class Page:
    """One tab. `problems` collects console errors, uncaught exceptions, requests to a network, and dialogs."""

    def __init__(self, process: subprocess.Popen, to_browser: int, from_browser: int):
        self._process, self._out, self._in = process, to_browser, from_browser
        self._buffer, self._number, self._session = b"", 0, None
        self.problems: list[str] = []
        self.loaded = 0
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def _call(self, method: str, **parameters: object) -> dict:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + DEADLINE
        while True:
            answer = self._read(end)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise ChromiumError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _read(self, end: float) -> dict:
        """Return the next message; what the page complains of is noted on the way."""
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, end - time.monotonic()))
            data = os.read(self._in, 1 << 20) if ready else b""
            if not data:
                raise ChromiumError("the browser ended" if ready else "no answer in time")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, told: dict) -> None:
        if method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.problems.append(f"exception: {details.get('exception', {}).get('description', details['text'])}")
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.problems.append(f"console: {told['args']}")
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"log: {told['entry']['text']} {told['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent" and told["request"]["url"].split(":")[0] not in ("file", "data"):
            self.problems.append(f"request: {told['request']['url']}")
        elif method == "Page.javascriptDialogOpening":
            self.problems.append(f"dialog: {told['message']}")
            self._dismiss()
        elif method == "Page.loadEventFired":
            self.loaded += 1

    def _dismiss(self) -> None:
        message = {"id": 0, "method": "Page.handleJavaScriptDialog", "params": {"accept": False}}
        os.write(self._out, json.dumps({**message, "sessionId": self._session}).encode() + b"\0")

    def open(self, path: Path, fragment: str = "") -> None:
        """Open a file and wait until it is loaded. An empty page comes between, so that it is loaded afresh."""
        for address in ("about:blank", path.resolve().as_uri() + fragment):
            before = self.loaded
            self._call("Page.navigate", url=address)
            self.wait_for_load(before)

    def wait_for_load(self, before: int) -> None:
        """Wait until a page has been loaded since `loaded` was `before`, and it has settled."""
        end = time.monotonic() + DEADLINE
        while self.loaded == before:
            self._read(end)
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 30)))")

    def run(self, script: str) -> object:
        """Run a script in the page and return what it gives (JSON values; a promise is waited for)."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise ChromiumError(answer["exceptionDetails"].get("exception", {}).get("description", script))
        return answer["result"].get("value")

    def look(self, width: int, height: int, dark: bool = False, printed: bool = False) -> None:
        """Set the window's size in CSS pixels, the theme, and whether the page is shown as it would be printed."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", media="print" if printed else "screen", features=[scheme])

    def press(self, key: str, text: str = "") -> None:
        """Press Enter or Tab; `text` is what the key writes."""
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            number = {"Tab": 9, "Enter": 13}[key]
            self._call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=number, **extra)

    def click(self, selector: str) -> None:
        """Click the middle of the first element that a CSS selector finds, as a mouse would."""
        where = f"""(() => {{ const found = document.querySelector({json.dumps(selector)});
            found.scrollIntoView({{block: 'center'}}); const box = found.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()"""
        self.click_at(*self.run(where))

    def click_at(self, x: float, y: float) -> None:
        """Click a place of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.run("new Promise(done => setTimeout(done, 50))")

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        self._call("Input.insertText", text=text)

    def screenshot(self, path: Path, whole: bool = False) -> None:
        """Write a PNG of the window, or of the whole page."""
        path.parent.mkdir(parents=True, exist_ok=True)
        picture = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(picture["data"]))

    def pdf(self) -> bytes:
        """Return the page as it would be printed."""
        return base64.b64decode(self._call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"])


@contextlib.contextmanager
def chromium() -> Iterator[Page]:
    """Start a browser with an empty profile, give its page, and end it."""
    pipes = [_high(end) for pair in (os.pipe(), os.pipe()) for end in pair]
    to_browser, out, back, from_browser = pipes
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [browser(), *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=lambda: (os.dup2(to_browser, 3), os.dup2(from_browser, 4)),  # where it expects its pipe
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        try:
            yield Page(process, out, back)
        finally:
            os.close(out)
            process.terminate()
            process.wait(timeout=DEADLINE)
            os.close(back)


def _high(end: int) -> int:
    """Return a copy of a file descriptor out of the way of 3 and 4."""
    copy = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(end)
    return copy
