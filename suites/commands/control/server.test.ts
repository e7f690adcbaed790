// What the control paths of a server list and refuse, and what a server shows people.

import { startEmulator, startGateway } from 'flowdouble'
import { banner, nextStep, quirksCommand } from '../../../dist/emulator/internal.js'
import packageJson from '../../../package.json' with { type: 'json' }
import gatewayDocument from '../../../spec/openapi.gateway.json' with { type: 'json' }
import hostedDocument from '../../../spec/openapi.hosted.json' with { type: 'json' }
import localDocument from '../../../spec/openapi.local.json' with { type: 'json' }
import { solid } from '../../generate/graphs.ts'
import { exchange, type Exchange } from '../../judge/wire.ts'
import { startSubject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves, test } from '../../judge/proves.ts'
import { exchanges, type Row, saying } from '../../judge/rows.ts'
import { newIo, outputOf, type Surroundings } from '../../support/in-process.ts'
import { watchOn } from '../../support/watch.ts'

test('control/journal The journal lists inputs and effects, after the options', async () => {
  const subject = await startSubject({ clock: 'instant', seed: 7 })
  await subject.submit(solid(), { extra_data: { api_key_comfy_org: 'SECRET' } })
  const text = (await subject.get('/_flowdouble/journal')).text
  const [header, first] = text.split('\n').map((line) => (line === '' ? null : JSON.parse(line)))
  expect(header.options.seed).toBe('7')
  expect(first.input).toMatchObject({ kind: 'request', method: 'POST', target: '/prompt' })
  expect(first.effects[0]).toMatchObject({ kind: 'reply', status: 200 })
  expect(text).not.toContain('SECRET')
  await subject.close()
})

test('control/openapi Each server and gateway returns its own document', async () => {
  const servers = [
    [hostedDocument, await startEmulator({ deployment: 'hosted' })],
    [localDocument, await startEmulator()],
    [gatewayDocument, await startGateway({ port: 0, clock: 'manual' })],
  ] as const
  for (const [document, { url, close }] of servers) {
    const reply = await fetch(`${url}/_flowdouble/openapi.json`)
    expect(await reply.json()).toEqual({ ...document, servers: [{ url: '/' }] })
    await close()
  }
})

proves(
  'control/paths',
  async (subject) => {
    const { paths } = (await subject.raw('GET', '/_flowdouble')).json()
    expect(paths).toContain('POST /_flowdouble/received')
    expect(paths).toContain('GET /_flowdouble/journal')
  },
  ownWorld,
)

/** The status of a control path for a program on another machine that has no token. */
const fromElsewhere = async (url: string, path: string) => {
  const reply = await exchange(url, 'GET', path, { Via: '1.1 proxy', Host: 'double.example' })
  return { status: reply.status, body: JSON.parse(reply.body) }
}

proves(
  'control/health',
  async ({ url, emulator }) => {
    expect(await fromElsewhere(url, '/_flowdouble/health')).toEqual({
      status: 200,
      body: { status: 'ok' },
    })
    // Another world keeps the port open.
    const down = await emulator!.world({ name: 'down' })
    down.fault({ when: { atMs: 100 }, then: { restart: { downMs: 5000 } } })
    const health = () => fromElsewhere(url, '/w/down/_flowdouble/health')
    await down.advance(100)
    expect(await health()).toEqual({ status: 503, body: { status: 'down' } })
    await down.advance(5000)
    expect(await health()).toEqual({ status: 200, body: { status: 'ok' } })
  },
  ownWorld,
)

proves(
  'control/ready',
  async ({ url, emulator }) => {
    expect(await fromElsewhere(url, '/_flowdouble/ready')).toEqual({
      status: 200,
      body: { status: 'ready' },
    })
    const down = await emulator!.world({ name: 'down' })
    down.fault({ when: { atMs: 100 }, then: { restart: { downMs: 5000 } } })
    const ready = () => fromElsewhere(url, '/w/down/_flowdouble/ready')
    await down.advance(100)
    expect(await ready()).toEqual({ status: 503, body: { status: 'down' } })
    await down.advance(5000)
    expect(await ready()).toEqual({ status: 200, body: { status: 'ready' } })
  },
  ownWorld,
)

proves(
  'control/version',
  async ({ url, deployment }) => {
    expect(await fromElsewhere(url, '/_flowdouble/version')).toEqual({
      status: 200,
      body: {
        name: 'flowdouble',
        version: packageJson.version,
        deployment,
        like: null,
        generation: deployment === 'local' ? '0.3' : null,
      },
    })
    expect(await fromElsewhere(url, '/_flowdouble/version/')).toMatchObject({ status: 403 })
    expect(await fromElsewhere(url, '/_flowdouble/clock')).toMatchObject({ status: 403 })
  },
  ownWorld,
)

proves(
  'control/head',
  async (subject) => {
    for (const path of ['health', 'version', 'clock', 'nowhere']) {
      const [got, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => exchange(subject.url, method, `/_flowdouble/${path}`)),
      )
      const headersOf = ({ lines }: Exchange) => lines.filter((line) => !/^date:/i.test(line))
      expect({ status: head!.status, headers: headersOf(head!) }).toEqual({
        status: got!.status,
        headers: headersOf(got!),
      })
      expect(head!.body).toBe('')
      expect(got!.body).not.toBe('')
    }
  },
  ownWorld,
)

proves(
  'control/filters',
  async (subject) => {
    const emulator = subject.emulator!
    await subject.get('/queue')
    const queries = {
      'messages?foo=1': 'known are type, direction, run',
      'messages?direction=up': 'sent, received',
      'messages?tipe=status': 'did you mean type?',
      'frames?fields=x': 'known are frame',
      'requests?status=abc': 'a whole number',
      'requests?statsu=200': 'did you mean status?',
    }
    const rows = Object.entries(queries).map(([query, text]): Row => [
      'GET',
      `/_flowdouble/${query}`,
      undefined,
      400,
      saying(text),
    ])
    const bodies = [{ foo: 1 }, { status: '200' }, { times: -1 }, { query: [] }]
    const verified = bodies.map((body): Row => ['POST', '/_flowdouble/verify', body, 400])
    await exchanges(subject, [
      ...rows,
      ...verified,
      ['GET', '/_flowdouble/requests?status=200', undefined, 200, [expect.any(Object)]],
    ])
    const wrong = [{ foo: 1 }, null, 5, 'x'] as unknown as object[]
    const methods = ['requests', 'verify', 'messages', 'frames'] as const
    for (const filter of wrong)
      for (const method of methods)
        await expect(emulator[method](filter)).rejects.toThrow(/^In the filter, /)
    await expect(emulator.verify({ run: 5 } as object)).rejects.toThrow('run must be')
    await expect(emulator.verify({ headers: { a: 5 } } as object)).rejects.toThrow(
      'headers.a must be',
    )
    await expect(emulator.requests({ staus: 200 } as object)).rejects.toThrow(
      'did you mean status?',
    )
  },
  ownWorld,
)

test('serve/watch A terminal shows each request and run, why a submit was rejected, and no token', async () => {
  const { io, output } = newIo({ terminal: 80, env: { NO_COLOR: '1' } })
  const { show } = await watchOn(io)
  const subject = await startSubject({ clock: 'instant', onEntry: show })
  await subject.submit(solid(), { prompt_id: 'mine\u001b[2J' })
  await subject.get('/view?filename=none.png&token=SECRET')
  await subject.submit({ '1': { class_type: 'NoSuchNode', inputs: {} } })
  await subject.submit({
    '1': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'mine.safetensors' } },
    '2': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
  })
  await subject.close()
  const lines = output.stdout
  expect(lines).toMatch(/\d\.\d{3}s {2}200 POST \/prompt\n/)
  expect(lines).toMatch(/success run mine.* \d+ ms\n/)
  expect(lines).toContain('404 GET /view?filename=none.png&token=***')
  expect(lines).toMatch(
    /400 POST \/prompt .*NoSuchNode does not exist[\s\S]*--unknown-nodes accept/,
  )
  expect(lines).toContain('--models any')
  expect(lines).not.toContain('SECRET')
  expect(lines).not.toContain('\u001b')
})

test('serve/banner Colours are for terminals that support them', async () => {
  const subject = await startSubject({ clock: 'instant', quirk: ['local.zombie-socket'] })
  const server = subject.emulator!
  const bannerOn = (place: Surroundings) => banner([server], newIo(place).io)
  expect(bannerOn({ terminal: 80 })).toContain('\u001b[')
  expect(bannerOn({ terminal: 80, env: { NO_COLOR: '1' } })).not.toContain('\u001b[')
  expect(bannerOn({})).not.toContain('\u001b[')
  expect(bannerOn({})).toContain('quirks local.zombie-socket')
  expect(nextStep(server, true)).toContain('run image-to-image --url')
  expect(nextStep(server, false)).toContain('did not succeed')
  await subject.close()
})

test('quirks/command The list states what holds with and without each quirk of local', async () => {
  const asked = (...argv: string[]) => outputOf(quirksCommand, argv)
  const { stdout } = await asked()
  expect(stdout).toMatch(
    /^workflows\.bare-graph-errors \(local, hosted\)\n {2}default: .*\n {2}switched: /,
  )
  expect(stdout).toMatch(/^hosted\.no-free \(hosted\)$/m)
  expect(Object.keys(JSON.parse((await asked('--json')).stdout))).toContain('hosted.no-free')
  expect(await asked('--colour')).toMatchObject({ code: 2, stdout: '' })
  expect(await asked('more')).toMatchObject({ code: 2, stdout: '' })
})
