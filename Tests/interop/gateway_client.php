<?php
// As ApnsPHP does it: stream_socket_client with the defaults of TLS, a non-blocking stream, the error packet by
// stream_select, feedback in pieces of 38 bytes.
function connect(string $variable)
{
    $tls = ['verify_peer' => true, 'cafile' => getenv('APNS_CA_FILE'), 'local_cert' => getenv('APNS_CERT_FILE')];
    $stream = stream_socket_client('tls://' . getenv($variable), $code, $words, 10, STREAM_CLIENT_CONNECT,
        stream_context_create(['ssl' => $tls]));
    $stream || exit("no connection: $words\n");
    return $stream;
}

function fail(string $words): never
{
    echo $words, "\n";
    exit(1);
}

$payload = '{"aps":{"alert":"Hi"}}';
$stream = connect('APNS_BINARY_ENDPOINT');
stream_set_blocking($stream, false);
stream_set_write_buffer($stream, 0);
foreach ([1, 2, 3, 4] as $identifier) {
    $token = $identifier == 3 ? 'dead4000' . str_repeat('0', 56) : str_repeat('ab', 32);
    $bytes = pack('CNNnH*n', 1, $identifier, time() + 86400, 32, $token, strlen($payload)) . $payload;
    @fwrite($stream, $bytes);
}
$packet = '';
while (strlen($packet) < 6) {
    [$read, $none] = [[$stream], null];
    stream_select($read, $none, $none, 10) || fail('no error packet');
    $packet .= $piece = fread($stream, 6 - strlen($packet));
    $piece === '' && feof($stream) && fail('the end before the error packet');
}
bin2hex($packet) === '080800000003' || fail('another error packet: ' . bin2hex($packet));
fclose($stream);

$stream = connect('APNS_FEEDBACK_ENDPOINT');
$told = '';
while (!feof($stream)) {
    $told .= fread($stream, 38);
}
strlen($told) === 3 * 38 || fail(strlen($told) . ' bytes of feedback');
