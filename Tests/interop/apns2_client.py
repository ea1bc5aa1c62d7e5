# apns2 as mopyapns installs it: httpx underneath, iat as a float.
import common
import httpx
from apns2.client import APNsClient, Notification
from apns2.credentials import TokenCredentials
from apns2.payload import Payload


class Client(APNsClient):
    def _init_connection(self, *_):
        self._server, self._port = common.HOST, common.PORT
        self._connection = httpx.Client(http2=True, verify=common.context())


client = Client(TokenCredentials(common.KEY, common.KEY_ID, common.TEAM_ID))
payload = Payload(alert="Hi", sound="default", badge=1)
client.send_notification(common.GOOD, payload, common.TOPIC)
tokens = [common.GOOD, common.GONE, common.BAD]
results = client.send_notification_batch([Notification(token, payload) for token in tokens], common.TOPIC)
assert results[common.GOOD] == "Success", results
assert results[common.GONE][0] == "Unregistered" and results[common.GONE][1] > 1e12, results
assert results[common.BAD] == "BadDeviceToken", results
