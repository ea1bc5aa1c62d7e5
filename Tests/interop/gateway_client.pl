# As Net::APNS does it: commands 0 and 1 on one connection, a write for each, then a read of six bytes.
use strict;
use warnings;
use IO::Socket::SSL;

sub connection {
    my ($host, $port) = split /:/, $ENV{$_[0]};
    return IO::Socket::SSL->new(
        PeerHost => $host, PeerPort => $port, SSL_ca_file => $ENV{APNS_CA_FILE},
        SSL_cert_file => $ENV{APNS_CERT_FILE}, SSL_key_file => $ENV{APNS_CERT_FILE},
    ) || die "no connection: $SSL_ERROR\n";
}

my $payload = '{"aps":{"alert":"Hi"}}';
my $gateway = connection('APNS_BINARY_ENDPOINT');
print $gateway pack 'C n/a* n/a*', 0, pack('H*', 'ab' x 32), $payload for 1 .. 3;
print $gateway pack 'C N N n/a* n/a*', 1, 9, time + 60, pack('H*', 'dead4000' . '0' x 56), $payload;
read($gateway, my $packet, 6) == 6 or die "no error packet\n";
unpack('H*', $packet) eq '080800000009' or die "another error packet\n";

my $feedback = connection('APNS_FEEDBACK_ENDPOINT');
my $told = 0;
$told++ while read($feedback, my $tuple, 38);
$told == 3 or die "$told tuples\n";
