# A binary gateway that nobody should run: usage: gateway.py CERTIFICATE KEY FAULT
#
# Prints its port, serves until its standard input ends, then prints how many notifications each connection brought.
import ctypes
import socket
import ssl
import struct
import sys
import threading

certificate, key, fault = sys.argv[1:4]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.num_tickets = 4 if fault == "tls13" else 0
if fault != "tls13":
    context.maximum_version = ssl.TLSVersion.TLSv1_2
counts = []
held = []


def whole(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def identifiers(connection, number):
    """The identifier of each frame that comes."""
    while True:
        command, length = struct.unpack(">BI", whole(connection, 5))
        assert command == 2
        items, place = whole(connection, length), 0
        while place < length:
            item, size = struct.unpack_from(">BH", items, place)
            if item == 3:
                counts[number] += 1
                yield struct.unpack_from(">I", items, place + 3)[0]
            place += 3 + size


def swallow(connection):
    while connection.recv(65536):
        pass


def shake_hands_and_vanish(raw):
    """With the last bytes of the handshake the system begins to throw away what comes, before TCP sees it."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = context.wrap_bio(incoming, outgoing, server_side=True)
    while True:
        try:
            session.do_handshake()
            break
        except ssl.SSLWantReadError:
            raw.sendall(outgoing.read())
            incoming.write(raw.recv(65536))
    drop_everything(raw)
    raw.sendall(outgoing.read())


def drop_everything(raw):
    code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))  # BPF_RET with 0 bytes to keep
    raw.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HxxxxxxP", 1, ctypes.addressof(code)))  # SO_ATTACH_FILTER


def packet(status, identifier):
    return struct.pack(">BBI", 8, status, identifier)


def serve(raw, number):
    if fault == "unacknowledged":
        shake_hands_and_vanish(raw)
        threading.Event().wait()
    connection = context.wrap_socket(raw, server_side=True)
    held.append(connection)
    frames = identifiers(connection, number)
    if fault in ("silent", "tls13"):
        for _ in frames:
            pass
    elif fault == "deaf":
        threading.Event().wait()
    elif fault in ("stray", "part"):
        next(frames)
        connection.sendall(b"\n" if fault == "stray" else packet(8, 1)[:3])
        swallow(connection)
    elif fault in ("garbage", "http"):
        next(frames)
        connection.sendall(b"what is this? " * 20 if fault == "garbage" else b"HTTP/1.1 400 Bad Request\r\n\r\n")
        swallow(connection)
    elif fault == "one-each":
        next(frames)
        connection.unwrap().close()
    elif fault == "reset":
        next(frames)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    elif fault == "six":
        for identifier in frames:
            if identifier == 3 and number == 0:
                for byte in packet(8, 3):
                    connection.sendall(bytes([byte]))
                return connection.close()
    elif fault in ("stays", "twice", "no-error"):
        # The packet comes, the end does not.
        for identifier in frames:
            if identifier == 3 and number == 0:
                connection.sendall(packet(0 if fault == "no-error" else 8, 3))
                if fault == "twice":
                    connection.sendall(packet(8, 2) + packet(1, 5))
    elif fault == "no-goodbye":
        # A packet, then the end of the socket without that of TLS.
        for identifier in frames:
            if identifier == 3 and number == 0:
                connection.sendall(packet(8, 3))
                raw = socket.socket(fileno=connection.detach())
                raw.shutdown(socket.SHUT_RDWR)
                return raw.close()


def run(raw, number):
    try:
        serve(raw, number)
    except (OSError, EOFError, StopIteration):
        pass


def listen():
    while True:
        raw, _ = listener.accept()
        counts.append(0)
        threading.Thread(target=run, args=(raw, len(counts) - 1), daemon=True).start()


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=listen, daemon=True).start()
sys.stdin.read()
print(*counts)
