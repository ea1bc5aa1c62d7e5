# pyapns-client: httpx, one connection a client, iat as a float.
import common
import pyapns_client
from pyapns_client import APNSClient, IOSNotification, IOSPayload, IOSPayloadAlert

APNSClient.BASE_URLS = {"dev": f"https://{common.HOST}:{common.PORT}"}
client = APNSClient(
    mode="dev", root_cert_path=common.CA, auth_key_path=common.KEY, auth_key_id=common.KEY_ID, team_id=common.TEAM_ID)
note = IOSNotification(
    payload=IOSPayload(alert=IOSPayloadAlert(title="Hi", body="there")), topic=common.TOPIC)
for _ in range(3):
    client.push(notification=note, device_token=common.GOOD)
try:
    client.push(notification=note, device_token=common.GONE)
    raise SystemExit("no UnregisteredException")
except pyapns_client.UnregisteredException as gone:
    assert gone.status_code == 410, vars(gone)
try:
    client.push(notification=note, device_token=common.BAD)
    raise SystemExit("no BadDeviceTokenException")
except pyapns_client.exceptions.BadDeviceTokenException as bad:
    assert bad.status_code == 400, vars(bad)
client.close()
