// A push service on Node's own http2, for tests of the sender: one fault, chosen by name.
//
// usage: node push-server.mjs CERT KEY FAULT
// Prints its port, then the number of each request's token. Ends with its standard input.
import fs from 'node:fs';
import http2 from 'node:http2';

const [cert, key, fault] = process.argv.slice(2);
const limit = fault === 'one-stream' ? 1 : 1000;
const server = http2.createSecureServer({
  cert: fs.readFileSync(cert), key: fs.readFileSync(key), settings: { maxConcurrentStreams: limit },
});
let total = 0;
const counts = new WeakMap();
const goodbye = Buffer.from('{"reason":"Shutdown"}');
const refusals = {
  gone: [410, '{"reason":"Unregistered","timestamp":1790000000000}'],
  'bad-json': [400, '{"reason":'],
  'no-body': [400, ''],
  trailers: [410, '{"reason":"Unregistered","timestamp":1790000000000}'],
  early: [413, '{"reason":"PayloadTooLarge"}'],
};

function answer(stream, headers) {
  const [status, text] = refusals[fault] ?? [200, ''];
  if (stream.destroyed) return;
  stream.respond({ ':status': status, 'apns-id': headers['apns-id'] }, { waitForTrailers: fault === 'trailers' });
  if (fault === 'trailers') stream.on('wantTrailers', () => stream.sendTrailers({ 'x-more': '1' }));
  stream.end(text);
  const session = stream.session;
  const count = counts.get(session);
  if (fault === 'one-stream' && count === 1) session.settings({ maxConcurrentStreams: 1000 });
  if (fault === 'goaway' && count === 5) {
    counts.set(session, Infinity);
    session.goaway(0, stream.id, goodbye);
    setTimeout(() => session.close(), 20);
  }
  if (fault === 'close' && count === 5) setTimeout(() => session.destroy(), 5);
}

server.on('stream', (stream, headers) => {
  total += 1;
  const count = (counts.get(stream.session) ?? 0) + 1;
  stream.on('error', () => {});
  if (count === Infinity) return; // behind GOAWAY: not acted on
  counts.set(stream.session, count);
  if (fault === 'refused' && total % 7 === 0) return stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
  if (fault === 'silent' && total % 9 === 0) return stream.resume();
  if (fault === 'early') {
    answer(stream, headers);
    return stream.close(http2.constants.NGHTTP2_NO_ERROR);
  }
  stream.resume();
  stream.on('end', () => (fault === 'slow' ? setTimeout(answer, 100, stream, headers) : answer(stream, headers)));
});
server.on('session', (session) => session.on('error', () => {}));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
