# twisted-apns: wants the error packet and whole tuples in one read each. It was written for Python 2: its payload is
# made bytes here.
import json
import types

import apns.notification
import common
from apns.errorresponse import ErrorResponse
from apns.feedbackclient import FeedbackClientFactory
from apns.gatewayclient import GatewayClientFactory
from apns.notification import Notification
from twisted.internet import reactor

apns.notification.json = types.SimpleNamespace(dumps=lambda value: json.dumps(value).encode())
GatewayClientFactory.ENDPOINTS = {"dev": common.place("APNS_BINARY_ENDPOINT")}
FeedbackClientFactory.ENDPOINTS = {"dev": common.place("APNS_FEEDBACK_ENDPOINT")}
errors, told = [], []


def connect(factory):
    options = factory.certificate.options()
    reactor.connectSSL(factory.hostname, factory.port, factory, options)


def send(_event, factory):
    if errors:
        return
    for number, token in enumerate([common.GOOD, common.BAD, common.GOOD]):
        factory.send(
            Notification(payload={"aps": {"alert": "Hi"}}, token=token, expire=Notification.EXPIRE_IMMEDIATELY,
                         iden=number + 1))


def refused(_event, _factory, error):
    errors.append((error.code, error.identifier))
    gateway.stopTrying()
    connect(feedback)


def heard(_event, _factory, feedbacks):
    told.extend(feedbacks)
    feedback.stopTrying()
    reactor.stop()


gateway = GatewayClientFactory("dev", common.CERT)
gateway.listen(gateway.EVENT_CONNECTION_MADE, send)
gateway.listen(gateway.EVENT_ERROR_RECEIVED, refused)
feedback = FeedbackClientFactory("dev", common.CERT)
feedback.listen(feedback.EVENT_FEEDBACKS_RECEIVED, heard)
connect(gateway)
reactor.callLater(20, reactor.stop)
reactor.run()
assert errors == [(8, 2)], errors
assert len(told) == 3, told
