"""A loopback server that misbehaves on demand."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """Files by path, and how each request is answered.

    ``cuts`` holds, per path, how many bytes each answer carries before the connection breaks (None: all of
    them); ``ranges`` whether partial requests are honoured; ``requests`` lists path and Range header of each.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.files: dict[str, bytes] = {}
        self.cuts: dict[str, list[int | None]] = {}
        self.ranges = True
        self.requests: list[tuple[str, str | None]] = []


@contextmanager
def serving() -> Iterator[Server]:
    """Serve on a free port until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            state.requests.append((self.path, asked))
            body = state.files.get(self.path)
            if body is None:
                self.send_error(404)
                return
            start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and state.ranges else 0
            if start >= len(body) and start:
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body) - start))
            self.end_headers()
            cuts = state.cuts.get(self.path) or [None]
            length = cuts.pop(0)
            self.wfile.write(body[start:] if length is None else body[start : start + length])

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state = Server(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
