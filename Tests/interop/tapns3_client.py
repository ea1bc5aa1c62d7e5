# PyAPNs for Python 3: commands 0 and 1, frames of several notifications, and what it sends again after an error.
import time

import common
from apns import APNs, Frame, Payload

payload = Payload(alert="Hi", sound="default", badge=1)


def gateway(enhanced):
    connection = APNs(use_sandbox=True, cert_file=common.CERT, enhanced=enhanced).gateway_server
    connection.server, connection.port = common.place("APNS_BINARY_ENDPOINT")
    return connection


simple = gateway(False)
simple.send_notification(common.GOOD, payload)

errors = []
enhanced = gateway(True)
enhanced.register_response_listener(errors.append)
for number, token in enumerate([common.GOOD, common.BAD, common.GOOD]):
    enhanced.send_notification(token, payload, identifier=number + 1)
end = time.time() + 10
while not errors and time.time() < end:
    time.sleep(0.05)
assert errors == [{"status": 8, "identifier": 2}], errors
frame = Frame()
for number in range(2):
    frame.add_item(common.GOOD, payload, 10 + number, int(time.time()) + 3600, 10)
time.sleep(1)
enhanced.send_notification_multiple(frame)
time.sleep(1)
enhanced.force_close()

feedback = APNs(use_sandbox=True, cert_file=common.CERT).feedback_server
feedback.server, feedback.port = common.place("APNS_FEEDBACK_ENDPOINT")
tokens = [token for token, _ in feedback.items()]
assert tokens == [b"01" * 32, b"02" * 32, b"03" * 32], tokens
