// A server with a certificate: HTTPS and WSS on both deployments, and links that are HTTPS too.

import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { type EmulatorOptions, startEmulator } from 'flowdouble'
import { WebSocket } from 'ws'
import { profiles } from '../../../spec/server/deployments.ts'
import { talking } from '../../generate/graphs.ts'
import { proves, test } from '../../judge/proves.ts'
import { exchangeBytes } from '../../judge/wire.ts'
import { folder } from '../../support/folder.ts'
import { start } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

const file = (name: string): string => join(import.meta.dirname, '../../tls', name)
const certificate = { tlsCert: file('cert.pem'), tlsKey: file('key.pem') }
const ca = await readFile(certificate.tlsCert)

type TlsReply = { readonly status: number; readonly text: string; readonly location: string }

/** One exchange with a server whose certificate is checked. */
async function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
  body = '',
  trusted: string | Buffer = ca,
): Promise<TlsReply> {
  const sent = request(url, { method, headers, ca: trusted, agent: false })
  sent.end(body)
  const [reply] = await once(sent, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of reply) chunks.push(chunk as Buffer)
  const location: string = reply.headers.location ?? ''
  return { status: reply.statusCode, text: Buffer.concat(chunks).toString('latin1'), location }
}

/** Opens the socket of a server, and returns its first message. */
async function greet(url: string): Promise<any> {
  const socket = new WebSocket(url, { ca })
  const [data] = await once(socket, 'message')
  socket.terminate()
  return JSON.parse(String(data))
}

proves(
  ['deployments/hosted-address', 'deployments/certificate'],
  async ({ url, emulator }) => {
    const { scheme, socketScheme } = profiles.hosted
    expect(url).toBe(`${scheme}://127.0.0.1:${emulator!.port}`)
    const key = { 'X-API-Key': 'test-key' }
    expect((await ask(`${url}/api/queue`)).status).toBe(401)
    expect((await ask(`${url}/api/queue`, key)).status).toBe(200)
    const body = JSON.stringify({ prompt: talking() })
    expect((await ask(`${url}/api/prompt`, key, 'POST', body)).status).toBe(200)
    const status = await greet(`${url.replace(scheme, socketScheme)}/ws?token=test-key`)
    expect(status).toMatchObject({ type: 'status' })
    const { status: found, location } = await ask(`${url}/api/view?filename=example.png`, key)
    expect({ found, origin: new URL(location).origin }).toEqual({
      found: 302,
      origin: emulator!.signedUrl,
    })
    expect(location).toMatch(/^https:\/\/localhost:/)
    const picture = await ask(location)
    expect([picture.status, picture.text.slice(1, 4)]).toEqual([200, 'PNG'])
  },
  { ...certificate, deployment: 'hosted' },
)

proves(
  'deployments/certificate',
  async ({ url, emulator }) => {
    expect(url).toBe(`https://127.0.0.1:${emulator!.port}`)
    expect((await ask(`${url}/queue`)).status).toBe(200)
    expect(await greet(`${url.replace('https', 'wss')}/ws?clientId=me`)).toMatchObject({
      type: 'status',
      data: { sid: 'me' },
    })
    // A request to upgrade to another protocol is handled as a plain one, also on such a connection.
    const upgrade = { Connection: 'Upgrade', Upgrade: 'h2c' }
    expect((await ask(`${url}/queue`, upgrade)).status).toBe(200)
    // Plain HTTP gets no answer here and does no harm: the connection ends without reaching the world.
    const host = new URL(url).host
    const plain = exchangeBytes(
      url.replace('https', 'http'),
      `GET /queue HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    )
    await expect(plain).rejects.toThrow('The connection ended without an answer.')
    expect((await ask(`${url}/queue`)).status).toBe(200)
  },
  { ...certificate, deployment: 'local' },
)

/** What prevents a server from starting. */
async function refusal(options: EmulatorOptions): Promise<string> {
  const error: unknown = await startEmulator({ clock: 'manual', ...options }).then(
    async (emulator) => emulator.close(),
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ code: 'USAGE' })
  return (error as Error).message
}

proves(
  'deployments/certificate',
  async () => {
    const { tlsCert, tlsKey } = certificate
    const place = folder()
    const other = join(place, 'other.pem')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    await writeFile(other, pem)
    expect(await refusal({ tlsCert })).toMatch(/together/)
    expect(await refusal({ tlsKey })).toMatch(/together/)
    expect(await refusal({ tlsCert: join(place, 'none'), tlsKey })).toMatch(/^Cannot read/)
    expect(await refusal({ tlsCert, tlsKey: place })).toMatch(/^Cannot read the private key/)
    for (const one of [
      { tlsCert, tlsKey: other },
      { tlsCert: tlsKey, tlsKey: tlsCert },
      { tlsCert: import.meta.filename, tlsKey },
    ]) {
      const message = await refusal(one)
      expect(message).toMatch(/^Cannot use the certificate .* with the private key/)
      expect(message).not.toContain(String(pem).split('\n')[1])
    }
  },
  { seed: 'certificates' },
)

proves(
  'deployments/certificate-auto',
  async ({ url, emulator, deployment }) => {
    const made = emulator?.ca ?? ''
    expect(made).toMatch(/^-----BEGIN CERTIFICATE-----\n[\s\S]+-----END CERTIFICATE-----\n$/)
    const path = deployment === 'local' ? '/system_stats' : '/api/system_stats'
    for (const host of ['127.0.0.1', 'localhost']) {
      const place = url.replace('127.0.0.1', host)
      expect((await ask(place + path, {}, 'GET', '', made)).status).toBe(200)
    }
    await expect(ask(url + path)).rejects.toThrow(/self-signed|unable to verify|issuer/)
    if (deployment === 'local') return
    const key = { 'X-API-Key': 'test-key' }
    const found = await ask(`${url}/api/view?filename=example.png`, key, 'GET', '', made)
    expect(found.location).toMatch(/^https:/)
    expect((await ask(found.location, {}, 'GET', '', made)).status).toBe(200)
  },
  { tls: 'auto' },
)

test('serve/tls-auto The command writes the certificate that clients must trust, and prints where it is.', async () => {
  const out = join(folder(), 'ca.pem')
  const flags = ['--tls', 'auto', '--tls-ca', out, '--deployment', 'both', '--port', '0', '--json']
  const command = start('serve', ...flags)
  const printed = JSON.parse(await command.says(/\n/))
  expect(printed.ca).toBe(out)
  const trusted = await readFile(out)
  expect((await ask(`${printed.url}/queue`, {}, 'GET', '', trusted)).status).toBe(200)
  expect((await ask(`${printed.hosted.url}/api/system_stats`, {}, 'GET', '', trusted)).status).toBe(
    200,
  )
  command.process.kill('SIGTERM')
  expect((await command.ends).code).toBe(0)
  const { tlsCert } = certificate
  await expect(startEmulator({ tls: 'auto', tlsCert })).rejects.toThrow('not both')
})
