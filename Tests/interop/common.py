# What every Python client is given, and what it must see.
import os
import ssl

HOST, PORT = os.environ["APNS_ENDPOINT"].rsplit(":", 1)
PORT = int(PORT)
CA = os.environ["APNS_CA_FILE"]
KEY = os.environ.get("APNS_KEY_FILE")
KEY_ID = os.environ.get("APNS_KEY_ID")
TEAM_ID = os.environ.get("APNS_TEAM_ID")
TOPIC = "com.example.app"
GOOD = "ab" * 32
GONE = "dead4100" + "0" * 56
BAD = "dead4000" + "0" * 56


def context():
    return ssl.create_default_context(cafile=CA)


def place(variable):
    host, port = os.environ[variable].rsplit(":", 1)
    return host, int(port)


# The old binary services, under --gateway and --feedback.
CERT = os.environ.get("APNS_CERT_FILE")
