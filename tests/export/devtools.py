"""A headless Chromium, driven over the DevTools protocol on a pipe: nothing but Python's own library.

Exits with status 77 (ctest: skipped) and a reason where no Chromium is installed.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77


class Chromium:
    """One browser process with a profile of its own; a context manager."""

    def __init__(self, *switches):
        program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        if program is None:
            print("skipped: no chromium here (Debian: apt-get install chromium)")
            sys.exit(SKIPPED)
        self.profile = tempfile.mkdtemp(prefix="warpscope-chromium-")
        # Chromium shows its internal pages (chrome://tracing) only if this is set.
        with open(os.path.join(self.profile, "Local State"), "w") as state:
            json.dump({"internal_only_uis_enabled": True}, state)
        to_browser, self.write_fd = os.pipe()
        self.read_fd, from_browser = os.pipe()

        def connect():
            # The protocol's pipe is file descriptor 3 (in) and 4 (out); first out of the way, then into place.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            high_in, high_out = os.dup2(reading, 103), os.dup2(writing, 104)
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--disable-extensions", "--disable-dev-shm-usage", "--remote-debugging-pipe",
                   f"--user-data-dir={self.profile}", *switches, "about:blank"]
        self.process = subprocess.Popen(command, close_fds=False, preexec_fn=connect, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.next_id = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _receive(self):
        while b"\0" not in self.buffer:
            chunk = os.read(self.read_fd, 1 << 16)
            if not chunk:
                raise RuntimeError("chromium ended")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        """The result of the call; events that arrive meanwhile are kept in `events`."""
        self.next_id += 1
        request = {"id": self.next_id, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        os.write(self.write_fd, json.dumps(request).encode() + b"\0")
        while True:
            message = self._receive()
            if message.get("id") == request["id"]:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)


class Page:
    """A tab."""

    def __init__(self, browser, url="about:blank"):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "DOM"):
            self.call(f"{domain}.enable")
        if url != "about:blank":
            self.open(url)

    def call(self, method, **parameters):
        return self.browser.call(method, session=self.session, **parameters)

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def evaluate(self, expression):
        """The value of a JavaScript expression, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise RuntimeError(f"not true within {seconds} s: {expression}")
            time.sleep(0.1)

    def set_files(self, selector, *paths):
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[os.path.abspath(path) for path in paths])
