"""Headless Chromium by the WebDriver protocol (W3C), as much of it as the tests need."""

import base64
import json
import re
import shutil
import subprocess
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--allow-file-access-from-files"),
)


class Browser:
    """One window; close it by leaving the ``with``."""

    def __init__(self, folder):
        self._driver = subprocess.Popen(
            [DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self._driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                break
        else:
            raise RuntimeError("chromedriver did not start")
        self._url = f"http://127.0.0.1:{found[1]}/session"
        options = {"binary": CHROMIUM, "args": [*FLAGS, f"--user-data-dir={folder}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self._send("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self._url += f"/{made['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._send("DELETE", "")
        finally:
            self._driver.terminate()
            self._driver.wait()
            self._driver.stdout.close()

    def _send(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self._url + path, data, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, path):
        self._send("POST", "/url", {"url": path.resolve().as_uri()})
        self.wait("return document.documentElement.dataset.ready === 'true'")

    def run(self, script, *arguments):
        return self._send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments):
        """Wait until a script returns true."""
        loop = f"""const [done, ...given] = [arguments[arguments.length - 1], ...arguments];
            const test = function() {{ {script} }};
            const end = Date.now() + 20000;
            (function again() {{
                if (test.apply(null, given)) done(true);
                else if (Date.now() > end) done(false);
                else setTimeout(again, 20);
            }})();"""
        came = self._send("POST", "/execute/async", {"script": loop, "args": list(arguments)})
        assert came, f"it never came that: {script}"

    def keys(self, text):
        """Press keys, one after the other, where the focus is."""
        presses = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._send("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": presses}]})

    def command(self, name, **given):
        """Send a command of the DevTools protocol."""
        return self._send("POST", "/goog/cdp/execute", {"cmd": name, "params": given})

    def complaints(self):
        """Return what the console said since it was last asked, warnings and errors."""
        entries = self._send("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("WARNING", "SEVERE")]

    def view(self, width, scheme="light", height=900):
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.command(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
        )

    def picture(self, path):
        path.write_bytes(base64.b64decode(self._send("GET", "/screenshot")))
