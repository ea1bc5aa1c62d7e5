# apns2 as apns2-up installs it: hyper underneath, which compares names itself where Python still can.
import ssl

import common
from apns2.client import APNsClient, Notification
from apns2.credentials import TokenCredentials
from apns2.payload import Payload
from hyper import HTTP20Connection


class Client(APNsClient):
    def _init_connection(self, *_):
        context = common.context()
        context.check_hostname = hasattr(ssl, "match_hostname")
        self._connection = HTTP20Connection(
            common.HOST, common.PORT, ssl_context=context, force_proto="h2", secure=True)


client = Client(TokenCredentials(common.KEY, common.KEY_ID, common.TEAM_ID))
payload = Payload(alert="Hi", sound="default", badge=1)
client.send_notification(common.GOOD, payload, common.TOPIC)
tokens = [common.GOOD, common.GONE, common.BAD]
results = client.send_notification_batch([Notification(token, payload) for token in tokens], common.TOPIC)
assert results[common.GOOD] == "Success", results
assert results[common.GONE][0] == "Unregistered" and results[common.GONE][1] > 1e12, results
assert results[common.BAD] == "BadDeviceToken", results
