"""A push service that is odd at the frame level, for tests of the sender. It writes its frames by hand.

usage: python3 odd-server.py CERT KEY MODE

Prints its port, then a line for each notification it acted on: the number its payload has as "badge". Ends with its
standard input. A mode is a method of `Odd` below; what it does not override is what a plain service does.
"""
import json
import socket
import ssl
import struct
import sys
import threading
import time

DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION, ALTSVC, ORIGIN = [*range(11), 12]
END_STREAM, END_HEADERS, PADDED, WITH_PRIORITY, ACK = 1, 4, 8, 32, 1
TABLE_SIZE, ENABLE_PUSH, STREAMS, WINDOW_SIZE, FRAME_SIZE, LIST_SIZE = 1, 2, 3, 4, 5, 6
NO_ERROR, REFUSED_STREAM, CANCEL = 0, 7, 8
OK = b"\x88"  # ":status: 200", one byte of the static table (RFC 7541 appendix A)


def field(name, value):
    """A header field, literal, never in a table."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def status(number):
    return b"\x08\x03" + str(number).encode()


class Closed(Exception):
    """This connection is over."""


class Plain:
    """One connection. Requests are answered when they are complete, in order."""

    settings = {STREAMS: 100}
    acknowledges = True
    alpn = ["h2"]
    count = 0
    lock = threading.Lock()

    def __init__(self, sock):
        with Plain.lock:
            Plain.count += 1
            self.number = Plain.count
        self.sock, self.buffer = sock, b""
        self.bodies, self.complete = {}, 0

    def send(self, kind, flags, stream, payload=b""):
        self.sock.sendall(struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream)
                          + payload)

    def announce(self, settings):
        self.send(SETTINGS, 0, 0, b"".join(struct.pack(">HI", *pair) for pair in settings.items()))

    def goaway(self, last, code=NO_ERROR, debug=b""):
        self.send(GOAWAY, 0, 0, struct.pack(">II", last, code) + debug)

    def act(self, stream):
        """What a service does: it delivers the notification."""
        print(json.loads(self.bodies[stream])["aps"]["badge"], flush=True)

    def take(self, count):
        while len(self.buffer) < count:
            more = self.sock.recv(65536)
            if not more:
                raise Closed
            self.buffer += more
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def serve(self):
        self.begin()
        assert self.take(24) == b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        while True:
            head = self.take(9)
            payload = self.take(int.from_bytes(head[:3], "big"))
            self.frame(head[3], head[4], int.from_bytes(head[5:], "big"), payload)

    def frame(self, kind, flags, stream, payload):
        if kind == SETTINGS and not flags & ACK and self.acknowledges:
            self.send(SETTINGS, ACK, 0)
        elif kind == PING and not flags & ACK:
            self.send(PING, ACK, 0, payload)
        elif kind == HEADERS:
            self.bodies[stream] = b""
            self.opened(stream, payload)
        elif kind == DATA and stream in self.bodies:
            self.bodies[stream] += payload
            self.grant(stream, len(payload))
            if flags & END_STREAM:
                self.complete += 1
                self.request(stream)

    def begin(self):
        self.announce(self.settings)

    def opened(self, stream, block):
        """The header list of a request came."""

    def grant(self, stream, count):
        if count:
            self.send(WINDOW, 0, 0, struct.pack(">I", count))

    def request(self, stream):
        """A request is complete."""
        self.act(stream)
        self.answer(stream)

    def answer(self, stream):
        self.send(HEADERS, END_STREAM | END_HEADERS, stream, OK)

    def refuse(self, stream, number=410, reason="Unregistered"):
        self.send(HEADERS, END_HEADERS, stream, status(number))
        self.send(DATA, END_STREAM, stream, json.dumps({"reason": reason}).encode())


class Odd:
    """The modes."""

    class plain(Plain):
        pass

    class no_alpn(Plain):
        alpn = []

    class continuation(Plain):
        def answer(self, stream):
            # nghttp2 takes no more than eight of them.
            block = status(200) + field(b"apns-id", b"00000000-0000-0000-0000-000000000000")
            self.send(HEADERS, END_STREAM, stream, b"")
            for byte in block[:6]:
                self.send(CONTINUATION, 0, stream, bytes([byte]))
            self.send(CONTINUATION, 0, stream, b"")
            self.send(CONTINUATION, END_HEADERS, stream, block[6:])

    class padded(Plain):
        def answer(self, stream):
            self.send(HEADERS, END_HEADERS | PADDED, stream, b"\xff" + status(410) + bytes(255))
            for byte in b'{"reason":"Unregistered"}':
                self.send(DATA, PADDED, stream, bytes([7, byte]) + bytes(7))
            self.send(DATA, PADDED | END_STREAM, stream, b"\xff" + bytes(255))

    class priority(Plain):
        def answer(self, stream):
            self.send(PRIORITY, 0, stream + 1000, struct.pack(">IB", 0, 15))
            self.send(HEADERS, END_STREAM | END_HEADERS | WITH_PRIORITY, stream, struct.pack(">IB", 0, 255) + OK)
            self.send(PRIORITY, 0, stream, struct.pack(">IB", 0, 1))

    class unknown_frames(Plain):
        def answer(self, stream):
            self.send(0xFA, 0xFF, 0, b"nobody knows this")
            self.send(ALTSVC, 0, 0, b"\0\0" + b'h2=":443"')
            self.send(ORIGIN, 0, 0, b"\0\x13https://example.com")
            self.send(HEADERS, END_HEADERS, stream, OK)
            self.send(0xFB, 0xFF, stream, bytes(1000))
            self.send(ALTSVC, 0, stream, b'\0\0h2=":443"')
            self.send(DATA, END_STREAM, stream)

    class unknown_settings(Plain):
        settings = {STREAMS: 100, 8: 1, 9: 1, 0xFADA: 0xFFFFFFFF, LIST_SIZE: 16_384}

    class pings(Plain):
        def answer(self, stream):
            for number in range(50):
                self.send(PING, 0, 0, struct.pack(">Q", number))
            super().answer(stream)

    class ping_flood(Plain):
        def request(self, stream):
            self.act(stream)
            ping = b"\0\0\x08\x06\0\0\0\0\0" + bytes(8)
            for _ in range(100):
                self.sock.sendall(ping * 1000)

    class windows_closed(Plain):
        """No room for a body until three header lists have come, then some, then all there is."""
        settings = {STREAMS: 100, WINDOW_SIZE: 0}

        def opened(self, stream, block):
            if stream == 5 or stream > 5:
                self.announce({WINDOW_SIZE: 7})
                self.announce({WINDOW_SIZE: 0})
                self.announce({WINDOW_SIZE: 65_535})

    class window_trickle(Plain):
        settings = {STREAMS: 100, WINDOW_SIZE: 3}

        def grant(self, stream, count):
            super().grant(stream, count)
            if count:
                self.send(WINDOW, 0, stream, struct.pack(">I", 3))

    class window_never(Plain):
        """The first connection has no room for any body, for ever."""

        def begin(self):
            self.announce({STREAMS: 100, WINDOW_SIZE: 0} if self.number == 1 else self.settings)

    class window_nowhere(Plain):
        settings = {STREAMS: 100, WINDOW_SIZE: 0}

    class window_overflow(Plain):
        def request(self, stream):
            super().request(stream)
            if self.number == 1 and self.complete == 5:
                self.send(WINDOW, 0, 0, struct.pack(">I", 0x7FFFFFFF))

    class table_zero(Plain):
        """No dynamic table: the first block behind the SETTINGS must begin with that (RFC 7541 section 4.2)."""
        settings = {STREAMS: 1, TABLE_SIZE: 0}

        def opened(self, stream, block):
            # Blocks from before our SETTINGS are the client's to compress; the second was made behind an answer.
            if stream == 3 and block[:1] != b"\x20" and not self.began:
                raise Closed
            self.began = block[:1] == b"\x20"

    class big_frame(Plain):
        """A frame above the client's SETTINGS_MAX_FRAME_SIZE, which is an error of the connection."""
        settings = {STREAMS: 100, FRAME_SIZE: 0xFFFFFF}

        def request(self, stream):
            if self.number > 1 or self.complete != 5:
                return super().request(stream)
            self.act(stream)
            self.send(HEADERS, END_HEADERS, stream, OK)
            self.send(DATA, END_STREAM, stream, bytes(20_000))

    class big_body(Plain):
        def answer(self, stream):
            self.send(HEADERS, END_HEADERS, stream, status(400))
            self.send(DATA, 0, stream, b'{"reason":"BadTopic","more":"')
            self.send(DATA, 0, stream, b"x" * 15_000)
            self.send(DATA, END_STREAM, stream, b'"}')

    class no_streams_yet(Plain):
        """No stream is allowed until a while after the first one."""

        def opened(self, stream, block):
            if stream == 1:
                self.announce({STREAMS: 0})

        def answer(self, stream):
            super().answer(stream)
            if stream == 1:
                time.sleep(0.3)
                self.announce({STREAMS: 3})

    class late_settings(Plain):
        def begin(self):
            time.sleep(0.3)
            super().begin()

    class moving_limit(Plain):
        settings = {STREAMS: 1}

        def answer(self, stream):
            super().answer(stream)
            self.announce({STREAMS: 1 if self.complete % 3 else 1000})

    class no_acknowledgement(Plain):
        acknowledges = False

    class reset_behind(Plain):
        def answer(self, stream):
            super().answer(stream)
            self.send(RESET, 0, stream, struct.pack(">I", NO_ERROR))
            self.send(WINDOW, 0, stream, struct.pack(">I", 1000))

    class early(Plain):
        """Answers before the body came, for which it gives no room, and wants no more of it."""
        settings = {STREAMS: 100, WINDOW_SIZE: 0}

        def opened(self, stream, block):
            self.refuse(stream, 413, "PayloadTooLarge")
            self.send(RESET, 0, stream, struct.pack(">I", NO_ERROR))

    class early_and_open(Plain):
        """The same without a word about the rest of the body, which it never makes room for: the streams stay open."""
        settings = {STREAMS: 1, WINDOW_SIZE: 0}

        def opened(self, stream, block):
            self.refuse(stream, 413, "PayloadTooLarge")

    class status_and_reset(Plain):
        """The answer is there, its end is not."""

        def answer(self, stream):
            self.send(HEADERS, END_HEADERS, stream, OK if self.complete % 2 else status(410))
            self.send(RESET, 0, stream, struct.pack(">I", CANCEL))

    class informational(Plain):
        def answer(self, stream):
            self.send(HEADERS, END_HEADERS, stream, status(100))
            self.send(HEADERS, END_HEADERS, stream, status(103) + field(b"link", b"</x>"))
            super().answer(stream)

    class trailers(Plain):
        def answer(self, stream):
            self.send(HEADERS, END_HEADERS, stream, OK)
            self.send(HEADERS, END_STREAM | END_HEADERS, stream, field(b"checksum", b"1"))

    class empty_data(Plain):
        def answer(self, stream):
            self.send(HEADERS, END_HEADERS, stream, OK)
            self.send(DATA, 0, stream)
            self.send(DATA, END_STREAM, stream)

    class backwards(Plain):
        """Ten requests are awaited and answered from the last to the first."""

        def request(self, stream):
            self.act(stream)
            if stream == 1:
                return self.answer(stream)
            self.waiting = [stream] + getattr(self, "waiting", [])
            if len(self.waiting) == 10 or self.complete == 30:
                for one in self.waiting:
                    self.answer(one)
                self.waiting = []

    class capitals(Plain):
        def answer(self, stream):
            self.send(HEADERS, END_STREAM | END_HEADERS, stream, OK + field(b"Apns-Id", b"1"))

    class no_status(Plain):
        def answer(self, stream):
            self.send(HEADERS, END_STREAM | END_HEADERS, stream, field(b"apns-id", b"1"))

    class wrong_length(Plain):
        def answer(self, stream):
            self.send(HEADERS, END_STREAM | END_HEADERS, stream, OK + field(b"content-length", b"5"))

    class data_first(Plain):
        def answer(self, stream):
            self.send(DATA, END_STREAM, stream, b"{}")

    class bad_block(Plain):
        """A block that nobody can decompress is an error of the connection: here once, at the fifth request."""

        def answer(self, stream):
            if self.number == 1 and self.complete == 5:
                self.send(HEADERS, END_STREAM | END_HEADERS, stream, b"\xff\xff\xff\xff\xff\xff")
            else:
                super().answer(stream)

    class answered_twice(Plain):
        def answer(self, stream):
            super().answer(stream)
            if self.number == 1 and self.complete == 5:
                super().answer(stream)

    class continuation_flood(Plain):
        """Header fields without end, on the first connection."""

        def answer(self, stream):
            if self.number > 1:
                return super().answer(stream)
            self.send(HEADERS, END_STREAM, stream, OK)
            block = b"".join(field(b"x-%d" % number, bytes(100).replace(b"\0", b"y")) for number in range(100))
            while True:
                self.send(CONTINUATION, 0, stream, block)

    class push_promise(Plain):
        def answer(self, stream):
            if self.number == 1 and self.complete == 5:
                self.send(PUSH, END_HEADERS, stream, struct.pack(">I", 2) + OK)
            super().answer(stream)

    class refused(Plain):
        def request(self, stream):
            if self.complete % 3 == 0:
                self.send(RESET, 0, stream, struct.pack(">I", REFUSED_STREAM))
            else:
                super().request(stream)

    class cancelled(Plain):
        def answer(self, stream):
            self.send(RESET, 0, stream, struct.pack(">I", CANCEL))

    class goaway_twice(Plain):
        """The way RFC 9113 section 6.8 wants it: first a warning, then the last stream."""
        last = 0

        def request(self, stream):
            if self.complete == 5:
                self.goaway(0x7FFFFFFF)
                self.goaway(stream, debug=b'{"reason":"Shutdown"}')
                self.last = stream
            if not self.last or stream <= self.last:
                super().request(stream)

    class goaway_half(Plain):
        """GOAWAY, and no more from this side, which goes on reading."""
        last = 0

        def request(self, stream):
            if self.last:
                return
            super().request(stream)
            if self.complete == 5:
                self.last = stream
                self.goaway(stream)
                self.sock.shutdown(socket.SHUT_WR)

    class goaway_each(Plain):
        """One request a connection."""

        def request(self, stream):
            if self.complete == 1:
                super().request(stream)
                self.goaway(stream)

    class goaway_first(Plain):
        """No request at all: GOAWAY is all it has to say."""

        def begin(self):
            super().begin()
            self.goaway(0)

        def request(self, stream):
            pass

    class goaway_rude(Plain):
        """A few requests a connection, then GOAWAY with an error and an end that waits for nobody."""

        def request(self, stream):
            super().request(stream)
            if self.complete == 7:
                self.goaway(stream, 11, b"calm down")
                raise Closed

    class goaway_answers_later(Plain):
        """What lies before GOAWAY's last stream is answered behind it."""
        last = 0

        def request(self, stream):
            if self.last:
                return
            self.act(stream)
            if self.complete == 5:
                self.last = stream
                self.goaway(stream)
            self.answer(stream)

    class cut(Plain):
        """TCP ends without the close of TLS, with one request unanswered."""
        settings = {STREAMS: 1}

        def request(self, stream):
            if self.number == 1 and self.complete == 6:
                self.act(stream)
                raise Closed
            super().request(stream)

    class notify(Plain):
        """The close of TLS alone: the socket stays."""
        settings = {STREAMS: 1}

        def request(self, stream):
            if self.number == 1 and self.complete == 6:
                self.act(stream)
                try:
                    self.sock.settimeout(0.0)
                    self.sock.unwrap()
                except (OSError, ssl.SSLError):
                    pass
                time.sleep(30)
            super().request(stream)

    class retry_date(Plain):
        """Asks for another attempt at a point in time, once, and refuses for good what comes too early."""
        due = 0

        def request(self, stream):
            if self.complete == 3:
                Odd.retry_date.due = int(time.time()) + 3
                date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(self.due)).encode()
                self.send(HEADERS, END_STREAM | END_HEADERS, stream, status(503) + field(b"retry-after", date))
                self.again = self.bodies[stream]
            elif self.bodies[stream] == getattr(self, "again", None) and time.time() < self.due:
                self.refuse(stream, 410, "Unregistered")
            else:
                super().request(stream)

    class http1(Plain):
        """Chooses h2 and speaks something else."""

        def begin(self):
            self.sock.sendall(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
            raise Closed

    class settings_only_later(Plain):
        """A PING before SETTINGS, which are the first that may come."""

        def begin(self):
            if self.number == 1:
                self.send(PING, 0, 0, bytes(8))
            super().begin()


def main():
    cert, key, mode = sys.argv[1:]
    kind = getattr(Odd, mode)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    if kind.alpn:
        context.set_alpn_protocols(kind.alpn)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def talk(client):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            with context.wrap_socket(client, server_side=True) as sock:
                kind(sock).serve()
        except (Closed, OSError):
            pass

    def accept():
        while True:
            threading.Thread(target=talk, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


main()
