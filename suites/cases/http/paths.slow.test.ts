// Paths and methods: the alias below /api, HEAD, OPTIONS, fragments, and everything unknown.

import { errors } from '../../../spec/index.ts'
import { hostedCors } from '../../../spec/server/http.ts'
import { everyHostedPath, everyPath } from '../../generate/every-path.ts'
import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { isAtWork } from '../../judge/hosted/busy-account.ts'
import { submitOne, wordOf } from '../../judge/hosted/jobs.ts'
import { codeOf, notFound } from '../../judge/hosted/refusals.ts'
import { busy, me } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { endsRun, listedIds } from '../../judge/responses.ts'
import { emptyAnswer, wireExchanges } from '../../judge/rows.ts'
import { exchange, type Exchange } from '../../judge/wire.ts'

const { refusals } = errors
const textType = 'text/plain; charset=utf-8'
const key = { 'X-API-Key': 'test-key' }
/** Empty, in chunks. */
const unknown = {
  status: 404,
  'content-type': 'application/octet-stream',
  'content-length': undefined,
  body: '',
}
const notFoundText = {
  status: 404,
  'content-type': textType,
  body: refusals.notFoundText.body.text,
}
const gets = everyPath.filter(({ method }) => method === 'GET').map(({ path }) => path)

/** The parts of an exchange that are the same at any time. */
const lasting = ({ status, lines, body }: Exchange) => ({
  status,
  lines: lines.filter((line) => !/^date:/i.test(line)),
  body,
})
const shape = ({ status, header }: Exchange) => ({ status, type: header('content-type') })

proves('http/alias-below-api', async (subject) => {
  const { url, unique, isOwn } = subject
  const session = await subject.connect(unique('me'), '/api/ws')
  const extra_data = { mine: unique('aliased') }
  const run = { prompt: talking(extra_data.mine), client_id: session.clientId, extra_data }
  const { prompt_id } = (await subject.post('/api/prompt', run)).json()
  await subject.reach(session, endsRun('local', prompt_id))
  for (const path of ['/history/', '/api/history/'])
    expect((await subject.get(path + prompt_id)).json()[prompt_id].prompt[3]).toMatchObject(
      extra_data,
    )
  for (const { path, method, body, status } of everyPath) {
    if (path.startsWith('/internal/') || (method !== 'GET' && !isOwn)) continue
    const plain = await exchange(url, method, path, {}, body)
    const alias = await exchange(url, method, `/api${path}`, {}, body)
    const parts = isOwn ? lasting : shape
    expect({ path, ...parts(alias) }).toEqual({ path, ...parts(plain) })
    if (isOwn) expect({ path, status: alias.status }).toEqual({ path, status })
  }
  if (!isOwn) return
  await subject.post('/api/queue', { clear: true })
  expect((await subject.queue()).pending).toEqual([])
  expect((await exchange(url, 'GET', '/api')).status).toBe(404)
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
  const types = await exchange(url, 'HEAD', '/object_info')
  expect(Number(types.header('content-length'))).toBeGreaterThan(1000)
})

proves('http/hosted-head', async ({ url }) => {
  const paths = everyHostedPath
    .filter(({ method, path }) => method === 'GET' && path !== '/ws')
    .map(({ path }) => path)
  for (const path of [...paths, '/api/nowhere', '/api/free']) {
    for (const headers of [key, {}]) {
      const head = await exchange(url, 'HEAD', path, headers)
      const got = await exchange(url, 'GET', path, headers)
      expect({ path, ...lasting(head) }).toEqual({ path, ...lasting(got), body: '' })
    }
  }
})

proves('http/head-unknown', ({ url }) => {
  const bare = { status: 404, 'content-*': [], 'transfer-*': [], body: '' }
  const paths = ['/nowhere', '/interrupt', '/api/nowhere']
  return wireExchanges(
    url,
    paths.map((path) => ['HEAD', path, bare]),
  )
})

proves('http/unknown-path', ({ url }) => {
  const nowhere = ['/nowhere', '/nowhere/at/all', '/index.htm', '/api/nowhere', '/api/api/queue']
  const deeper = ['/queue/x', '/history/a/b', '/models/a/b', '/object_info/a/b', '/viewvideo']
  const postOnly = ['/interrupt', '/free', '/upload/image', '/api/interrupt']
  const paths = [...nowhere, '/Queue', '/queue2', ...deeper, ...postOnly]
  return wireExchanges(
    url,
    paths.flatMap((path) => [
      ['GET', path, unknown],
      ['GET', `${path}?a=/queue`, unknown],
    ]),
  )
})

proves('http/hosted-unknown-path', async ({ raw }) => {
  const paths = ['/api/nowhere', '/api', '/api/', '/api/user/', '/api/User', '/api/api/user']
  for (const path of [...paths, '/api/settings/a/b', '/api//user']) {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH']) {
      const reply = await raw(method, path, undefined, key)
      const isSo = method === 'HEAD' ? reply.status === 404 : notFound(reply)
      expect({ method, path, isSo }).toEqual({ method, path, isSo: true })
    }
    // Below the prefix a client without a key cannot find out which paths exist.
    expect((await raw('GET', path)).status).toBe(401)
  }
})

proves('http/path-outside', ({ url }) => {
  const paths = ['/../x', '/a/../../x', '/%2e%2e/x', '//x', '/internal/nowhere']
  return wireExchanges(
    url,
    paths.map((path) => ['GET', path, notFoundText]),
  )
})

proves('http/trailing-slash', ({ url }) => {
  const known = ['/prompt/', '/queue/', '/history/', '/models/', '/models/vae/', '/object_info/']
  return wireExchanges(
    url,
    [...known, '/view/', '/api/queue/'].flatMap((path) => [
      ['GET', path, unknown],
      ['POST', path, { status: 405, allow: 'GET,HEAD' }, {}, '{}'],
    ]),
  )
})

proves('http/wrong-method', async ({ url, get }) => {
  const ways: readonly (readonly [method: string, path: string, allow: string])[] = [
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
  const refusal = {
    status: 405,
    'content-type': textType,
    body: refusals.methodNotAllowed.body.text,
  }
  await wireExchanges(
    url,
    ways.map(([method, path, allow]) => [
      method,
      path,
      { ...refusal, allow },
      {},
      '{"prompt": {}, "clear": true}',
    ]),
  )
  expect((await get('/queue')).status).toBe(200)
})

proves('http/hosted-wrong-method', async ({ raw }) => {
  const ways: readonly (readonly [method: string, path: string, allow: string])[] = [
    ['DELETE', '/api/prompt', 'GET,HEAD,POST'],
    ['PUT', '/api/settings', 'GET,HEAD,POST'],
    ['POST', '/api/system_stats', 'GET,HEAD'],
    ['POST', '/api/object_info/KSampler', 'GET,HEAD'],
    ['POST', '/api/users', 'GET,HEAD'],
    ['GET', '/api/free', 'POST'],
    ['GET', '/api/feedback', 'POST'],
    ['PATCH', '/api/userdata/a', 'DELETE,GET,HEAD,POST'],
  ]
  for (const [method, path, allow] of ways) {
    const reply = await raw(method, path, '{}', key)
    const found = { code: codeOf(reply, 405), allow: reply.headers['allow'] }
    expect({ path, ...found }).toEqual({ path, code: 'METHOD_NOT_ALLOWED', allow })
  }
})

// It does nothing, whatever its body says.
proves('http/options', async (subject) => {
  const { url, isOwn } = subject
  const { prompt_id: over } = await subject.run(await me(subject), talking(subject.unique('over')))
  const { held, pend, pending } = await busy(subject)
  const ours = await pend('waiting')
  const known = everyPath.map(({ path }) => path)
  const paths = [...known, '/api/queue', '/nowhere', '/api/nowhere', '/nowhere/', '/a/b/c?d=e']
  const answer = { ...emptyAnswer, ...(isOwn && { 'access-control-*': [] }) }
  const body = JSON.stringify({ clear: true, delete: [over, ...ours] })
  await wireExchanges(
    url,
    paths.map((path) => ['OPTIONS', path, answer, {}, body]),
  )
  expect(await pending(ours)).toEqual(ours)
  expect((await listedIds(subject)).running).toContain(held.prompt_id)
  expect(await subject.finished(over)).toBeDefined()
  await held.stop()
})

proves('http/hosted-options', async (subject) => {
  const session = await subject.connect()
  const id = await submitOne(subject, await subject.workloads.slow())
  await subject.reach(session, isAtWork(id))
  const paths = [...everyHostedPath.map(({ path }) => path), '/api/nowhere', '/queue']
  const asks = { Origin: 'https://page.example', 'Access-Control-Request-Headers': 'x-api-key' }
  const allowed = Object.entries(hostedCors).map(([name, value]) => `${name}: ${value}`)
  const answer = { status: 200, body: '', 'access-control-*': allowed.toSorted() }
  await wireExchanges(
    subject.url,
    paths.map((path) => ['OPTIONS', path, answer, asks, '{"clear": true}']),
  )
  expect(await wordOf(subject, id)).not.toBe('cancelled')
})

proves('http/fragment', ({ url }) => {
  const paths = ['/queue#f', '/queue#?x', '/object_info/KSampler?a#/b', '/api/queue#']
  return wireExchanges(
    url,
    paths.map((path) => ['GET', path, { status: 200 }]),
  )
})

proves('http/asterisk', ({ url }) =>
  wireExchanges(url, [
    ['OPTIONS', '*', { status: 200 }],
    ['GET', '*', notFoundText],
    ['POST', '*', notFoundText],
  ]),
)
