// What holds for every path, as bytes on the wire: bodies, the twin below /api, HEAD, OPTIONS, and what is refused.

import { expect } from 'vitest'
import { endpoints, errors } from '../../spec/index.ts'
import type { Endpoint } from '../../spec/language.ts'
import { everyPath, type Plain } from '../every-path.ts'
import { slow, solid } from '../graphs.ts'
import { violations } from '../judge.ts'
import { proves } from '../proves.ts'
import { exchange, type Exchange } from '../wire.ts'

const { refusals } = errors
const jsonType = 'application/json; charset=utf-8'
const textType = 'text/plain; charset=utf-8'

/** All endpoints of everyPath with what the spec says of them. */
const all = Object.entries<Plain>(everyPath).map(([name, plain]) => {
  const endpoint: Endpoint = endpoints[name as keyof typeof everyPath]
  return { ...plain, endpoint, method: endpoint.method }
})
const gets = all.filter(({ method }) => method === 'GET')

const sent = (body: unknown) => (body === undefined ? '' : JSON.stringify(body))

/** What of an exchange is the same whenever it happens. */
const lasting = ({ status, lines, body }: Exchange) => ({
  status,
  lines: lines.filter((line) => !line.startsWith('Date: ')),
  body,
})

const unknown = { status: 404, type: 'application/octet-stream', length: '0', body: '' }
const told = ({ status, header, body }: Exchange) => ({
  status,
  type: header('content-type'),
  length: header('content-length'),
  body,
})

proves('http/json-replies', async ({ url, submit, idle, upload, post }) => {
  await submit(solid(0, 'grün'), { prompt_id: 'mine' })
  await idle()
  for (const { path, endpoint } of gets) {
    const schema = endpoint.replies[200]
    if (typeof schema !== 'object') continue
    const reply = await exchange(url, 'GET', path)
    expect([path, reply.status, reply.header('content-type')]).toEqual([path, 200, jsonType])
    expect(reply.header('content-length')).toBe(`${Buffer.byteLength(reply.body)}`)
    expect(violations(schema, JSON.parse(reply.body))).toEqual([])
  }
  const { body } = await exchange(url, 'GET', '/history/mine')
  expect(JSON.parse(body).mine.prompt[2]).toEqual(solid(0, 'grün'))
  const data = [
    await submit(solid()),
    await post('/prompt', {}),
    await upload({ name: 'a', bytes: Buffer.from('a') }),
  ]
  expect(data.map(({ status, headers }) => [status, headers['content-type']])).toEqual([
    [200, jsonType],
    [400, jsonType],
    [200, jsonType],
  ])
})

proves('http/json-without-type', async ({ url, get }) => {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
    '',
  ]
  const body = JSON.stringify({ prompt: solid(), extra_data: { mine: 'grün' } })
  for (const type of types) {
    expect((await exchange(url, 'POST', '/prompt', { 'Content-Type': type }, body)).status).toBe(
      200,
    )
  }
  expect((await exchange(url, 'POST', '/prompt', {}, body)).status).toBe(200)
  const { queue_pending } = (await get('/queue')).json()
  expect(queue_pending.map((item: unknown[]) => item[3])).toEqual(Array(6).fill({ mine: 'grün' }))
  await exchange(url, 'POST', '/queue', { 'Content-Type': 'text/plain' }, '{"clear": true}')
  expect((await get('/queue')).json().queue_pending).toEqual([])
})

proves('http/broken-json', async ({ url, get }) => {
  const broken = [
    '',
    '{',
    'nonsense',
    "{'a': 1}",
    '{"a": 1} x',
    '{"a": 01}',
    '5',
    '-1.5',
    'null',
    'true',
  ]
  const noText = [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), Buffer.from('\uFEFF{}')]
  const ways: [path: string, body: string | Buffer][] = [
    '/prompt',
    '/queue',
    '/history',
    '/free',
  ].flatMap((path) => [...broken, ...noText].map((body): [string, string | Buffer] => [path, body]))
  // An interrupt does without a body, and takes a malformed one for none.
  for (const [path, body] of [...ways, ['/interrupt', '5'], ['/interrupt', 'null']] as const) {
    const reply = await exchange(url, 'POST', path, {}, body)
    const { status, type, body: text } = told(reply)
    expect({ path, sent: `${body}`, status, type, body: text }).toEqual({
      path,
      sent: `${body}`,
      status: 500,
      type: textType,
      body: refusals.internal.body.text,
    })
    expect(reply.header('connection')).toBe('close')
  }
  expect((await get('/queue')).json().queue_pending).toEqual([])
})

proves('http/empty-replies', async ({ url, submit }) => {
  await submit(slow())
  const empty: [status: number, method: string, path: string, body: string][] = [
    [200, 'POST', '/queue', '{"clear": true}'],
    [200, 'POST', '/queue', '{}'],
    [200, 'POST', '/history', '{"clear": true}'],
    [200, 'POST', '/free', '{"free_memory": true}'],
    [200, 'POST', '/interrupt', ''],
    [200, 'OPTIONS', '/queue', ''],
    [404, 'GET', '/models/nowhere', ''],
    [404, 'GET', '/view?filename=nowhere.png', ''],
    [403, 'GET', '/view?filename=x.png&subfolder=../..', ''],
    [400, 'GET', '/view?filename=/x.png', ''],
    [400, 'POST', '/upload/image', '{}'],
  ]
  for (const [status, method, path, body] of empty) {
    const reply = await exchange(url, method, path, {}, body)
    expect([path, told(reply)]).toEqual([path, { status, type: undefined, length: '0', body: '' }])
  }
})

proves('http/twin-below-api', async ({ url, connect, submit, reach, get, post, idle }) => {
  await submit(solid(), { prompt_id: 'mine' })
  await idle()
  for (const { path, method, body, status } of all) {
    const [plain, twin] = [
      await exchange(url, method, path, {}, sent(body)),
      await exchange(url, method, `/api${path}`, {}, sent(body)),
    ]
    expect([path, twin.status]).toEqual([path, status])
    expect(lasting(twin)).toEqual(lasting(plain))
  }
  // The twin reaches the same queue, and its socket the same run.
  await post('/api/queue', { clear: true })
  expect((await get('/queue')).json().queue_pending).toEqual([])
  const session = await connect('me', '/api/ws')
  await submit(slow(), { client_id: 'me' })
  await reach(session, ({ type }) => type === 'execution_start')
  expect((await exchange(url, 'GET', '/api')).status).toBe(404)
})

proves('http/head', async ({ url, submit, idle }) => {
  await submit(solid(), { prompt_id: 'mine' })
  await idle()
  for (const path of [
    ...gets.map(({ path }) => path),
    '/models/nowhere',
    '/nowhere',
    '/view?filename=nowhere.png',
  ]) {
    const got = await exchange(url, 'GET', path)
    const head = await exchange(url, 'HEAD', path)
    expect([path, lasting(head)]).toEqual([path, { ...lasting(got), body: '' }])
  }
  expect(
    Number((await exchange(url, 'HEAD', '/object_info')).header('content-length')),
  ).toBeGreaterThan(1000)
})

proves('http/unknown-path', async ({ url }) => {
  const nowhere = [
    '/nowhere',
    '/nowhere/at/all',
    '/index.htm',
    '/api/nowhere',
    '/api/api/queue',
    '/Queue',
    '/queue2',
  ]
  const deeper = [
    '/queue/x',
    '/history/a/b',
    '/models/a/b',
    '/object_info/a/b',
    '/viewvideo',
    '/manager/queue/status',
  ]
  const postOnly = ['/interrupt', '/free', '/upload/image', '/api/interrupt']
  for (const path of [...nowhere, ...deeper, ...postOnly]) {
    expect([path, told(await exchange(url, 'GET', path))]).toEqual([path, unknown])
    expect([path, told(await exchange(url, 'GET', `${path}?a=/queue`))]).toEqual([path, unknown])
  }
  const text = refusals.notFoundText.body.text
  for (const path of ['/../x', '/a/../../x', '/%2e%2e/x', '//x', '/internal/nowhere']) {
    const { status, type, body } = told(await exchange(url, 'GET', path))
    expect([path, status, type, body]).toEqual([path, 404, textType, text])
  }
})

proves('http/wrong-method', async ({ url, get }) => {
  const cases: [method: string, path: string, allow: string][] = [
    ['DELETE', '/prompt', 'GET,HEAD,POST'],
    ['PUT', '/queue', 'GET,HEAD,POST'],
    ['PATCH', '/history', 'GET,HEAD,POST'],
    ['PUT', '/interrupt', 'GET,HEAD,POST'],
    ['DELETE', '/upload/image', 'GET,HEAD,POST'],
    ['POST', '/view', 'GET,HEAD'],
    ['POST', '/object_info/KSampler', 'GET,HEAD'],
    ['POST', '/system_stats', 'GET,HEAD'],
    ['POST', '/ws', 'GET,HEAD'],
    ['POST', '/api/models', 'GET,HEAD'],
    ['DELETE', '/api/prompt', 'GET,HEAD,POST'],
    ['POST', '/nowhere', 'GET,HEAD'],
    ['PUT', '/', 'GET,HEAD'],
  ]
  for (const [method, path, allow] of cases) {
    const reply = await exchange(url, method, path, {}, '{"prompt": {}, "clear": true}')
    expect([path, reply.status, reply.header('allow')]).toEqual([path, 405, allow])
    expect([reply.header('content-type'), reply.body]).toEqual([
      textType,
      refusals.methodNotAllowed.body.text,
    ])
  }
  expect((await get('/queue')).status).toBe(200)
})

proves('http/trailing-slash', async ({ url }) => {
  const paths = [
    '/prompt/',
    '/queue/',
    '/history/',
    '/models/',
    '/models/vae/',
    '/object_info/',
    '/view/',
    '/api/queue/',
  ]
  for (const path of paths) {
    expect([path, told(await exchange(url, 'GET', path))]).toEqual([path, unknown])
    const posted = await exchange(url, 'POST', path, {}, '{}')
    expect([path, posted.status, posted.header('allow')]).toEqual([path, 405, 'GET,HEAD'])
  }
})

proves('http/options', async ({ url, get, submit }) => {
  await submit(slow())
  const empty = { status: 200, type: undefined, length: '0', body: '' }
  for (const path of [...all.map(({ path }) => path), '/nowhere', '/api/nowhere', '/nowhere/']) {
    const reply = await exchange(url, 'OPTIONS', path, {}, '{"clear": true}')
    expect([path, told(reply)]).toEqual([path, empty])
    expect(reply.lines.filter((line) => /^access-control-/i.test(line))).toEqual([])
  }
  expect((await get('/queue')).json().queue_pending).toHaveLength(1)
})
