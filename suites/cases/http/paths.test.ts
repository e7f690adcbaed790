// Paths and methods: the alias below /api, HEAD, OPTIONS, and everything unknown.

import { errors } from '../../../spec/index.ts'
import { everyPath } from '../../generate/every-path.ts'
import { slow, solid, talking } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { exchange, type Exchange, summaryOf } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const { refusals } = errors
const textType = 'text/plain; charset=utf-8'
/** Empty, in chunks. */
const unknown = {
  status: 404,
  type: 'application/octet-stream',
  length: undefined,
  body: '',
}
const gets = everyPath.filter(({ method }) => method === 'GET').map(({ path }) => path)

/** The parts of an exchange that are the same at any time. */
const lasting = ({ status, lines, body }: Exchange) => ({
  status,
  lines: lines.filter((line) => !/^date:/i.test(line)),
  body,
})

proves(
  'http/alias-below-api',
  async ({ url, connect, submit, reach, get, post, idle }) => {
    await submit(solid(), { prompt_id: 'mine' })
    await idle()
    const aliased = everyPath.filter(({ path }) => !path.startsWith('/internal/'))
    for (const { path, method, body, status } of aliased) {
      const plain = await exchange(url, method, path, {}, body)
      const alias = await exchange(url, method, `/api${path}`, {}, body)
      expect({ path, status: alias.status }).toEqual({ path, status })
      expect(lasting(alias)).toEqual(lasting(plain))
    }
    // The alias reaches the same queue, and its socket the same run.
    await post('/api/queue', { clear: true })
    expect((await get('/queue')).json().queue_pending).toEqual([])
    const session = await connect('me', '/api/ws')
    await submit(slow(), { client_id: 'me' })
    await reach(session, ({ type }) => type === 'execution_start')
    expect((await exchange(url, 'GET', '/api')).status).toBe(404)
  },
  ownWorld,
)

proves('http/alias-below-api', async ({ url, unique, idle }) => {
  const aliased = gets.filter((path) => !path.startsWith('/internal/'))
  for (const path of aliased) {
    const plain = await exchange(url, 'GET', path)
    const alias = await exchange(url, 'GET', `/api${path}`)
    const shapes = [plain, alias].map(({ status, header }) => [status, header('content-type')])
    expect([path, shapes[1]]).toEqual([path, shapes[0]])
  }
  const mark = unique('aliased')
  const body = JSON.stringify({ prompt: talking(), extra_data: { mine: mark } })
  const { prompt_id } = JSON.parse((await exchange(url, 'POST', '/api/prompt', {}, body)).body)
  await idle()
  for (const path of ['/history/', '/api/history/']) {
    const { body: history } = await exchange(url, 'GET', path + prompt_id)
    expect(JSON.parse(history)[prompt_id].prompt[3].mine).toBe(mark)
  }
})

/** The header lines of a reply that HEAD has too: the length of an empty body is not among them. */
const said = ({ lines }: Exchange): readonly string[] =>
  lines.filter((line) => !/^content-length: 0$/i.test(line))

proves('http/head', async ({ url, submit, idle }) => {
  await submit(talking(), { prompt_id: 'mine' })
  await idle()
  for (const path of [...gets, '/models/nowhere', '/view?filename=nowhere.png']) {
    // What others do can change the answer in between, but hardly twice.
    const before = await exchange(url, 'GET', path)
    const head = await exchange(url, 'HEAD', path)
    const after = await exchange(url, 'GET', path)
    const heads = [before, after].map((got) => lasting({ ...got, lines: said(got), body: '' }))
    expect(heads, path).toContainEqual(lasting(head))
  }
  expect(
    Number((await exchange(url, 'HEAD', '/object_info')).header('content-length')),
  ).toBeGreaterThan(1000)
})

proves('http/head-unknown', async ({ url }) => {
  for (const path of ['/nowhere', '/interrupt', '/api/nowhere']) {
    const { status, lines, body } = await exchange(url, 'HEAD', path)
    const about = lines.filter((line) => /^(content|transfer)-/i.test(line))
    expect({ path, status, about, body }).toEqual({ path, status: 404, about: [], body: '' })
  }
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
  const deeper = ['/queue/x', '/history/a/b', '/models/a/b', '/object_info/a/b', '/viewvideo']
  const postOnly = ['/interrupt', '/free', '/upload/image', '/api/interrupt']
  for (const path of [...nowhere, ...deeper, ...postOnly]) {
    expect([path, summaryOf(await exchange(url, 'GET', path))]).toEqual([path, unknown])
    expect([path, summaryOf(await exchange(url, 'GET', `${path}?a=/queue`))]).toEqual([
      path,
      unknown,
    ])
  }
})

proves('http/path-outside', async ({ url }) => {
  const text = refusals.notFoundText.body.text
  for (const path of ['/../x', '/a/../../x', '/%2e%2e/x', '//x', '/internal/nowhere']) {
    const { status, type, body } = summaryOf(await exchange(url, 'GET', path))
    expect({ path, status, type, body }).toEqual({ path, status: 404, type: textType, body: text })
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
    expect({ path, status: reply.status, allow: reply.header('allow') }).toEqual({
      path,
      status: 405,
      allow,
    })
    expect({ contentType: reply.header('content-type'), body: reply.body }).toEqual({
      contentType: textType,
      body: refusals.methodNotAllowed.body.text,
    })
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
    expect([path, summaryOf(await exchange(url, 'GET', path))]).toEqual([path, unknown])
    const posted = await exchange(url, 'POST', path, {}, '{}')
    expect({ path, status: posted.status, allow: posted.header('allow') }).toEqual({
      path,
      status: 405,
      allow: 'GET,HEAD',
    })
  }
})

proves('http/options', async ({ url, get, submit }) => {
  await submit(slow())
  const empty = { status: 200, type: undefined, length: '0', body: '' }
  for (const path of [
    ...everyPath.map(({ path }) => path),
    '/nowhere',
    '/api/nowhere',
    '/nowhere/',
  ]) {
    const reply = await exchange(url, 'OPTIONS', path, {}, '{"clear": true}')
    expect([path, summaryOf(reply)]).toEqual([path, empty])
    expect(reply.lines.filter((line) => /^access-control-/i.test(line))).toEqual([])
  }
  expect((await get('/queue')).json().queue_pending).toHaveLength(1)
})
