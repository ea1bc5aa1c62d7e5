# pushjack: frames with identifiers from 0, goes on behind each error by itself.
import common
from pushjack import APNSClient


class Client(APNSClient):
    host, port = common.place("APNS_BINARY_ENDPOINT")
    feedback_host, feedback_port = common.place("APNS_FEEDBACK_ENDPOINT")


client = Client(common.CERT, default_error_timeout=1)
tokens = ["%064x" % number for number in range(1, 6)]
tokens[2:2] = [common.BAD]
response = client.send(tokens + [common.GONE], "Hi", badge=1)
assert sorted(response.failures) == sorted([common.BAD, common.GONE]), response.failures
assert all(error.code == 8 for error in response.errors), response.errors
assert response.successes == tokens[:2] + tokens[3:], response.successes
gone = [expired.token for expired in client.get_expired_tokens()]
assert gone[:3] == ["01" * 32, "02" * 32, "03" * 32], gone
client.close()
