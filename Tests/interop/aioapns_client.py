# aioapns: no ALPN, host in place of :authority, many streams before our SETTINGS; answers are matched by apns-id.
import asyncio

import aioapns
import aioapns.connection as connection
import common


class Protocol(connection.APNsTLSClientProtocol):
    APNS_SERVER = common.HOST
    APNS_PORT = common.PORT


async def main():
    client = aioapns.APNs(
        key=open(common.KEY).read(), key_id=common.KEY_ID, team_id=common.TEAM_ID, topic=common.TOPIC,
        use_sandbox=True, ssl_context=common.context(), max_connections=1)
    client.pool.protocol_class = Protocol

    def request(token):
        return aioapns.NotificationRequest(
            device_token=token, message={"aps": {"alert": "Hi"}}, push_type=aioapns.PushType.ALERT)

    results = await asyncio.gather(*[client.send_notification(request(common.GOOD)) for _ in range(30)])
    assert all(result.is_successful for result in results), results
    gone = await client.send_notification(request(common.GONE))
    assert gone.status == "410" and gone.description == "Unregistered" and int(gone.timestamp) > 1e12, vars(gone)
    bad = await client.send_notification(request(common.BAD))
    assert bad.status == "400" and bad.description == "BadDeviceToken", vars(bad)
    client.pool.close()


asyncio.run(asyncio.wait_for(main(), 30))
