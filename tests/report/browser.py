"""A real headless Chromium, driven by the DevTools protocol over a pipe: no driver, no port, no network."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from time import monotonic
from types import TracebackType
from typing import Any

import pytest

Message = dict[str, Any]
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SECONDS = 60.0
_MISSING = "no Chromium: install it (Debian and Ubuntu: `apt-get install chromium`, elsewhere any Chromium or Chrome in PATH)"
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--remote-debugging-pipe",
)


def chromium() -> str:
    """The program; without one the test fails where PREFLIGHT_NEEDS_BROWSER or CI is set, and else is skipped, and says what to install."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        if is_browser_required():
            pytest.fail(_MISSING)
        pytest.skip(_MISSING)
    return found


def is_browser_required() -> bool:
    """Whether a test fails where it would be skipped for want of a browser."""
    return bool(os.environ.get("PREFLIGHT_NEEDS_BROWSER") or os.environ.get("CI"))


class Browser:
    """One process; each page that it opens is a tab of its own."""

    def __init__(self) -> None:
        program = chromium()
        self._folder = tempfile.TemporaryDirectory(prefix="preflight-browser-", ignore_cleanup_errors=True)
        self._number = 0
        self._bytes = b""
        self._events: list[Message] = []
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()

        def pipes() -> None:
            """The protocol is read from 3 and written to 4."""
            ours = [os.dup(theirs_in), os.dup(theirs_out)]
            os.dup2(ours[0], 3)
            os.dup2(ours[1], 4)

        self._process = subprocess.Popen(
            [program, *_FLAGS, f"--user-data-dir={self._folder.name}"],
            preexec_fn=pipes,
            pass_fds=(3, 4, theirs_in, theirs_out),
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._folder.name, "XDG_CONFIG_HOME": self._folder.name},
        )
        os.close(theirs_in)
        os.close(theirs_out)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def ask(self, method: str, session: str = "", **values: Any) -> Any:
        """One command and its answer; what happens meanwhile is kept for `events`."""
        self._number += 1
        asked: Message = {"id": self._number, "method": method, "params": values}
        if session:
            asked["sessionId"] = session
        os.write(self._to, json.dumps(asked).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told
                return told["result"]
            self._events.append(told)

    def wait(self, method: str, session: str) -> Message:
        """The next event of this kind, or one that came before."""
        while True:
            for at, told in enumerate(self._events):
                if told.get("method") == method and told.get("sessionId") == session:
                    return self._events.pop(at)
            self._events.append(self._next())

    def events(self, session: str) -> list[Message]:
        """What happened so far in a tab and was not waited for."""
        return [told for told in self._events if told.get("sessionId") == session]

    def _next(self) -> Message:
        until = monotonic() + _SECONDS
        while b"\0" not in self._bytes:
            ready, _, _ = select([self._from], [], [], max(0.0, until - monotonic()))
            read = os.read(self._from, 1 << 20) if ready else b""
            if not read:
                raise AssertionError("Chromium ended or says nothing")
            self._bytes += read
        line, _, self._bytes = self._bytes.partition(b"\0")
        told: Message = json.loads(line)
        return told


class Tab:
    """A page that is open: what it shows, and what it did."""

    def __init__(self, browser: Browser, session: str, url: str) -> None:
        self._browser = browser
        self._session = session
        self._url = url
        self.opened = 0.0

    def ask(self, method: str, **values: Any) -> Any:
        """One command to this tab."""
        return self._browser.ask(method, self._session, **values)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        told = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def type(self, selector: str, text: str) -> None:
        """Write into a field as a person does: what was in it is replaced."""
        self.run(f"document.querySelector({json.dumps(selector)}).focus(); document.querySelector({json.dumps(selector)}).select()")
        self.press("Delete")
        self.ask("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Press a key."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "Delete": 46}
        text = {"Enter": "\r", " ": " "}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            told = {"type": kind, "key": key, "code": {" ": "Space"}.get(key, key), "windowsVirtualKeyCode": codes[key]}
            self.ask("Input.dispatchKeyEvent", **told, **({"text": text} if text and kind == "keyDown" else {}))

    def shown(self, selector: str) -> list[str]:
        """The texts of the elements that can be seen."""
        found: list[str] = self.run(
            f"[...document.querySelectorAll({json.dumps(selector)})].filter(e => e.checkVisibility({{contentVisibilityAuto: false}}))"
            ".map(e => e.textContent)"
        )
        return found

    @property
    def complaints(self) -> list[str]:
        """What the console, the policy and scripts complained of."""
        self.run("0")
        kinds = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [json.dumps(told["params"]) for told in self._browser.events(self._session) if told.get("method") in kinds]

    @property
    def requests(self) -> list[str]:
        """The addresses that were asked for, the page itself and data of its own left out."""
        self.run("0")
        sent = [told["params"] for told in self._browser.events(self._session) if told["method"] == "Network.requestWillBeSent"]
        return [url for url in (told["request"]["url"] for told in sent) if url != self._url and not url.startswith("data:")]


@contextmanager
def opened(
    browser: Browser, file: Path, *, width: int = 1280, height: int = 900, scripts: bool = True, dark: bool = False, media: str = ""
) -> Iterator[Tab]:
    """A tab with a file, once it is loaded and drawn; `opened` are the seconds from asking for it until then."""
    target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
    session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    tab = Tab(browser, session, file.as_uri())
    for domain in ("Page", "Runtime", "Log", "Network"):
        tab.ask(f"{domain}.enable")
    tab.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    tab.ask("Emulation.setEmulatedMedia", media=media, features=[scheme])
    tab.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
    start = monotonic()
    tab.ask("Page.navigate", url=file.as_uri())
    browser.wait("Page.loadEventFired", session)
    if scripts:
        tab.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
    tab.opened = monotonic() - start
    try:
        yield tab
    finally:
        browser.ask("Target.closeTarget", targetId=target)
