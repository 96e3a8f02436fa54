"""Headless Chromium by the DevTools protocol over pipes, as much of it as the tests need."""

import base64
import json
import os
import shutil
import subprocess

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--allow-file-access-from-files", "--remote-debugging-pipe"),
)

#: What a press of a key sends.
KEYS = {
    " ": {"key": " ", "code": "Space", "windowsVirtualKeyCode": 32, "text": " "},
    "\t": {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9},
    "\r": {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"},
}


class Browser:
    """One window; close it by leaving the ``with``."""

    def __init__(self, folder):
        # Chromium reads commands from descriptor 3 and writes answers to 4, each ended by a zero byte.
        there, self._out = os.pipe()
        here, back = os.pipe()
        words = [CHROMIUM, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{there} 4>&{back}', "bash", *words],
            pass_fds=(there, back),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(there)
        os.close(back)
        self._in = os.fdopen(here, "rb")
        self._left, self._number, self._session, self._said = b"", 0, None, []
        (page,) = (t for t in self.command("Target.getTargets")["targetInfos"] if t["type"] == "page")
        joined = self.command("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = joined["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.command(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._session = None
        self.command("Browser.close")
        self._process.wait()
        os.close(self._out)
        self._in.close()

    def _message(self):
        while b"\0" not in self._left:
            more = self._in.read1(1 << 20)
            assert more, "Chromium ended"
            self._left += more
        text, _, self._left = self._left.partition(b"\0")
        return json.loads(text)

    def command(self, name, **given):
        """Send a command of the DevTools protocol; return its answer."""
        self._number += 1
        message = {"id": self._number, "method": name, "params": given}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (answer := self._message()).get("id") != self._number:
            self._hear(answer.get("method"), answer.get("params"))
        assert "error" not in answer, answer
        return answer["result"]

    def _hear(self, event, given):
        """Keep what the console says, and what no script catches."""
        if event == "Log.entryAdded" and given["entry"]["level"] in ("warning", "error"):
            self._said.append(given["entry"]["text"])
        elif event == "Runtime.consoleAPICalled" and given["type"] in ("warning", "error"):
            self._said.append(str(given["args"]))
        elif event == "Runtime.exceptionThrown":
            self._said.append(str(given["exceptionDetails"]))

    def _evaluate(self, script):
        found = self.command("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def open(self, path):
        self.command("Page.navigate", url=path.resolve().as_uri())
        self.wait("return document.documentElement?.dataset.ready === 'true'")

    def run(self, script, *arguments):
        return self._evaluate(f"(function () {{ {script} }}).apply(null, {json.dumps(arguments)})")

    def wait(self, script, *arguments):
        """Wait until a script returns true."""
        came = self._evaluate(f"""new Promise((done) => {{
            const test = () => (function () {{ {script} }}).apply(null, {json.dumps(arguments)});
            const end = Date.now() + 20000;
            (function again() {{
                if (test()) done(true);
                else if (Date.now() > end) done(false);
                else setTimeout(again, 20);
            }})(); }})""")
        assert came, f"it never came that: {script}"

    def keys(self, text):
        """Press keys, one after the other, where the focus is."""
        for sign in text:
            self.command("Input.dispatchKeyEvent", type="keyDown", **KEYS[sign])
            self.command("Input.dispatchKeyEvent", type="keyUp", **KEYS[sign])

    def complaints(self):
        """Return what the console said since it was last asked, warnings and errors."""
        said, self._said = self._said, []
        return said

    def view(self, width, scheme="light", height=900):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **size)
        wanted = [{"name": "prefers-color-scheme", "value": scheme}]
        self.command("Emulation.setEmulatedMedia", features=wanted)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.command("Page.captureScreenshot")["data"]))
