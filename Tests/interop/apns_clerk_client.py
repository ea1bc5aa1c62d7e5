# apns-clerk: frames in batches over pyOpenSSL. It asks for TLS 1.0, which neither OpenSSL 3 nor Apple has any longer.
import common
import OpenSSL

OpenSSL.SSL.TLSv1_METHOD = OpenSSL.SSL.TLS_CLIENT_METHOD

from apns_clerk import APNs, Message, Session  # noqa: E402

Session.ADDRESSES["push_sandbox"] = common.place("APNS_BINARY_ENDPOINT")
Session.ADDRESSES["feedback_sandbox"] = common.place("APNS_FEEDBACK_ENDPOINT")
session = Session()
service = APNs(session.get_connection("push_sandbox", cert_file=common.CERT))
tokens = ["%064x" % number for number in range(1, 6)]
tokens[2:2] = [common.BAD]
result = service.send(Message(tokens, alert="Hi", badge=1))
assert list(result.failed) == [common.BAD], (result.failed, result.errors)
assert result.needs_retry()
result = service.send(result.retry())
assert not result.failed and not result.errors, (result.failed, result.errors)
feedback = APNs(session.new_connection("feedback_sandbox", cert_file=common.CERT))
gone = [token for token, _ in feedback.feedback()]
assert len(gone) == 3, gone
session.shutdown()
