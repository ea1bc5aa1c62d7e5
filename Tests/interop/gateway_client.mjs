// As node_apns and node-apn 1 do it: tls.connect without a server name, frames with identifiers from 0 and no priority,
// whatever comes is the error packet; feedback as it comes.
import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'

const pem = readFileSync(process.env.APNS_CERT_FILE)
const ca = readFileSync(process.env.APNS_CA_FILE)

function talk(variable, bytes) {
  const [host, port] = process.env[variable].split(':')
  return new Promise((resolve, reject) => {
    const heard = []
    const socket = connect({ host, port: Number(port), cert: pem, key: pem, ca }, () => {
      socket.setNoDelay(true)
      for (const each of bytes) socket.write(each)
    })
    socket.on('data', data => heard.push(data))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(heard)))
  })
}

function item(id, data) {
  const head = Buffer.alloc(3)
  head[0] = id
  head.writeUInt16BE(data.length, 1)
  return Buffer.concat([head, data])
}

function number(value) {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function frame(token, identifier) {
  const items = Buffer.concat([item(1, Buffer.from(token, 'hex')), item(2, Buffer.from('{"aps":{"alert":"Hi"}}')),
    item(3, number(identifier)), item(4, number(0))])
  return Buffer.concat([Buffer.from([2]), number(items.length), items])
}

const tokens = ['ab'.repeat(32), 'ab'.repeat(32), 'dead4000' + '0'.repeat(56), 'ab'.repeat(32)]
const packet = await talk('APNS_BINARY_ENDPOINT', tokens.map(frame))
if (packet.toString('hex') !== '080800000002') throw new Error(`another error packet: ${packet.toString('hex')}`)
const told = await talk('APNS_FEEDBACK_ENDPOINT', [])
if (told.length !== 3 * 38) throw new Error(`${told.length} bytes of feedback`)
