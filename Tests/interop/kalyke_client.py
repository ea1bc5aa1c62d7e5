# kalyke: a connection for each message, iat as a string; wants apns-id on 200.
import asyncio
import os

import common

os.environ["SSL_CERT_FILE"] = common.CA
import kalyke.clients.apns as apns  # noqa: E402
from kalyke import ApnsClient, ApnsConfig, Payload, exceptions  # noqa: E402
from httpx2 import AsyncClient  # noqa: E402


class Client(ApnsClient):
    @property
    def _base_url(self):
        return f"https://{common.HOST}:{common.PORT}"

    def _init_client(self, apns_config):
        headers = apns_config.make_headers()
        headers["authorization"] = f"bearer {self._make_authorization()}"
        return AsyncClient(headers=headers, http2=True, verify=common.context())


async def main():
    client = Client(use_sandbox=True, team_id=common.TEAM_ID, auth_key_id=common.KEY_ID, auth_key_filepath=common.KEY)
    config = ApnsConfig(topic=common.TOPIC)
    for _ in range(3):
        assert await client.send_message(common.GOOD, Payload(alert="Hi", badge=1), config)
    try:
        await client.send_message(common.BAD, Payload(alert="Hi"), config)
        raise SystemExit("no BadDeviceToken")
    except exceptions.BadDeviceToken:
        pass


asyncio.run(asyncio.wait_for(main(), 30))
