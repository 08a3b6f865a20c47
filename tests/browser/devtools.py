"""Chromium without a window, driven by the DevTools protocol over a websocket; standard library only."""

import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--mute-audio",
)
# Drawing by the processor: the same pictures on every machine.
SOFTWARE = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
NO_GL = ("--disable-gpu", "--disable-webgl", "--disable-3d-apis")


class Socket:
    """A websocket client: whole text messages to a server on this machine."""

    def __init__(self, url):
        host, path = url.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.stream = socket.create_connection((name, int(port)), timeout=120)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall(
            f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.stream.recv(4096)
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head.decode())

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = struct.pack("!BB", 0x81, 0x80 | size) if size < 126 else (
            struct.pack("!BBH", 0x81, 0xFE, size) if size < 65536 else struct.pack("!BBQ", 0x81, 0xFF, size))
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(data))
        self.stream.sendall(head + mask + masked)

    def exactly(self, count):
        while len(self.rest) < count:
            part = self.stream.recv(max(65536, count - len(self.rest)))
            if not part:
                raise ConnectionError("the browser has closed the connection")
            self.rest += part
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def receive(self):
        """The next message; frames of one message are put together, pings are answered by nothing."""
        message = b""
        while True:
            first, second = self.exactly(2)
            size = second & 0x7F
            if size > 125:
                size = struct.unpack("!H" if size == 126 else "!Q", self.exactly(2 if size == 126 else 8))[0]
            data = self.exactly(size)
            if first & 0x0F in (0, 1):
                message += data
                if first & 0x80:
                    return message.decode()


class Browser:
    """One browser with one page. Collects messages of the console, exceptions and requests."""

    def __init__(self, size=(960, 640), gl=True):
        program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise FileNotFoundError("these tests need Chromium: install it, or name it in CHROMIUM")
        self.folder = tempfile.mkdtemp(prefix="vinci-browser-")
        flags = [*FLAGS, *(SOFTWARE if gl else NO_GL), f"--window-size={size[0]},{size[1]}"]
        command = [program, *flags, f"--user-data-dir={self.folder}", "--remote-debugging-port=0", "about:blank"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.count, self.events = 0, []
        try:
            self.socket = Socket(self.target())
            for domain in ("Page", "Runtime", "Network", "Log"):
                self.call(f"{domain}.enable")
            # The page is as large as asked for, whatever a window takes away.
            self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        except BaseException:
            self.close()
            raise

    def target(self):
        port_file = pathlib.Path(self.folder) / "DevToolsActivePort"
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if port_file.exists() and (lines := port_file.read_text().split()):
                with urllib.request.urlopen(f"http://127.0.0.1:{lines[0]}/json/list", timeout=30) as answer:
                    pages = [t for t in json.load(answer) if t["type"] == "page"]
                if pages:
                    return pages[0]["webSocketDebuggerUrl"]
            time.sleep(0.1)
        raise TimeoutError("the browser did not start")

    def call(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def run(self, expression):
        """Value of a JavaScript expression; waits for promises."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def open(self, path, ready="window.vinciView", fragment=""):
        self.open_address(pathlib.Path(path).resolve().as_uri() + fragment, ready)

    def open_address(self, address, ready="window.vinciView"):
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait(ready)

    def wait(self, condition, seconds=90):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(f"document.readyState === 'complete' && !!({condition})"):
                return
            time.sleep(0.05)
        raise TimeoutError(f"{condition}: {self.run('document.body.innerText')[:500]} {self.complaints()}")

    def screenshot(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def press(self, key, shift=False):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def requests(self):
        """Addresses that the page asked for, itself left out."""
        sent = [e["params"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [p["request"]["url"] for p in sent if p.get("type") != "Document"]

    def complaints(self):
        """Errors and warnings of the console, exceptions."""
        found = []
        for event in self.events:
            p = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(json.dumps(p["exceptionDetails"])[:1000])
            if event["method"] == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
            if event["method"] == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                found.append(f"{p['entry']['text']} {p['entry'].get('url', '')}")
        return found

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
