# As grocer and houston do it: OpenSSL's defaults, no server name, a write for each notification, the error packet by
# IO.select, feedback in pieces of 38 bytes. Identifiers begin at 0; houston's frames leave out what they can.
require 'openssl'
require 'socket'

PEM = File.read(ENV.fetch('APNS_CERT_FILE'))
PAYLOAD = '{"aps":{"alert":"Hi"}}'
GOOD = 'ab' * 32
BAD = "dead4000#{'0' * 56}"

def connect(variable)
  host, port = ENV.fetch(variable).split(':')
  context = OpenSSL::SSL::SSLContext.new
  context.key = OpenSSL::PKey.read(PEM, '')
  context.cert = OpenSSL::X509::Certificate.new(PEM)
  socket = OpenSSL::SSL::SSLSocket.new(TCPSocket.new(host, port.to_i), context)
  socket.sync = true
  socket.connect
end

def refused(socket)
  IO.select([socket], nil, nil, 10) or abort 'no error packet'
  packet = socket.read(6).unpack('CCN')
  socket.read(1).nil? or abort 'no end behind the error packet'
  packet
end

enhanced = lambda do |token, identifier|
  [1, identifier, Time.now.to_i + 3600, 32, token, PAYLOAD.bytesize, PAYLOAD].pack('CNNnH64na*')
end
frame = lambda do |token, identifier|
  items = [1, 32, token].pack('CnH64') + [2, PAYLOAD.bytesize, PAYLOAD].pack('Cna*')
  items += [3, 4, identifier].pack('CnN') if identifier
  [2, items.bytesize].pack('CN') + items
end

socket = connect('APNS_BINARY_ENDPOINT')
[GOOD, GOOD, BAD, GOOD].each_with_index { |token, number| socket.write(enhanced.call(token, number)) rescue break }
refused(socket) == [8, 8, 2] or abort 'another error packet'

socket = connect('APNS_BINARY_ENDPOINT')
2.times { socket.write(frame.call(GOOD, nil)) }
socket.write(frame.call(BAD, 7))
refused(socket) == [8, 8, 7] or abort 'another error packet'

socket = connect('APNS_FEEDBACK_ENDPOINT')
told = 0
while (tuple = socket.read(38))
  tuple.unpack('NnH64')[1] == 32 or abort 'another length'
  told += 1
end
told == 3 or abort "#{told} tuples"
