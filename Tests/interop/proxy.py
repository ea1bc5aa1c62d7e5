"""An HTTP proxy for tests: CONNECT only, with user "user" and password "word". Prints its port; ends with its input."""
import base64
import selectors
import socket
import sys
import threading

WANTED = "Basic " + base64.b64encode(b"user:word").decode()


def carry(left, right):
    """Copies both ways until one end closes."""
    selector = selectors.DefaultSelector()
    selector.register(left, selectors.EVENT_READ, right)
    selector.register(right, selectors.EVENT_READ, left)
    while True:
        for key, _ in selector.select():
            data = key.fileobj.recv(65536)
            if not data:
                return
            key.data.sendall(data)


def serve(client):
    with client:
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096)
        lines = head.decode().split("\r\n")
        if f"Proxy-Authorization: {WANTED}" not in lines:
            client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            return
        host, port = lines[0].split()[1].rsplit(":", 1)
        with socket.create_connection((host.strip("[]"), int(port))) as server:
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            print("tunnel", lines[0].split()[1], flush=True)
            carry(client, server)


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)


def accept():
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
