// Answers of a scenario: which requests they take, what they reply, and how they stand beside the endpoints of a server.

import type { AnswerRule } from '../../../spec/scenario/answers.ts'
import { expect } from '../../judge/expect.ts'
import { account } from '../../judge/hosted/jobs.ts'
import { proves, test } from '../../judge/proves.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'
import { newFiles } from '../../support/files.ts'
import { scripted } from '../../support/scripted.ts'

const withAnswers = (...answers: readonly AnswerRule[]) => scripted({ answers: [...answers] })

/** The statuses of requests, in order. */
async function statuses(
  { request }: Pick<Subject, 'request'>,
  ...asked: readonly (readonly [method: string, path: string])[]
): Promise<readonly number[]> {
  const found: number[] = []
  for (const [method, path] of asked) found.push((await request(method, path)).status)
  return found
}

proves(
  'scenario/answers',
  async ({ get, request }) => {
    const created = await request('PUT', '/etn/upload/loras/a.safetensors', 'bytes')
    expect(created).toMatchObject({ status: 201, text: 'success', headers: { 'x-pack': 'etn' } })
    const list = await get('/crystools/monitor/HDD')
    expect(list.status).toBe(200)
    expect(list.json()).toEqual(['/', null, { a: 1 }])
    expect(await get('/plain')).toMatchObject({ status: 200, text: '' })
    expect(await get('/gone')).toMatchObject({ status: 503, text: 'no' })
    expect((await get('/moved')).headers['location']).toBe('/elsewhere')
  },
  withAnswers(
    {
      method: 'PUT',
      path: '/etn/upload/loras/*',
      status: 201,
      headers: { 'X-Pack': 'etn' },
      text: 'success',
    },
    { path: '/crystools/monitor/HDD', json: ['/', null, { a: 1 }] },
    { path: '/plain' },
    { path: '/gone', status: 503, text: 'no' },
    { path: '/moved', status: 302, headers: { Location: '/elsewhere' } },
  ),
)

proves(
  'scenario/answer-path',
  async ({ deployment, get, raw }) => {
    const found = async (path: string): Promise<boolean> => (await get(path)).status === 299
    expect(await found('/one/a')).toBe(true)
    expect(await found('/one/a/b')).toBe(false)
    expect(await found('/one')).toBe(false)
    expect(await found('/deep/a/b%20c')).toBe(true)
    expect(await found('/etn/image/5?x=1')).toBe(true)
    if (deployment === 'hosted') return
    for (const path of ['/api/one/a', '/api/etn/image/5'])
      expect((await raw('GET', path)).status).toBe(299)
  },
  withAnswers(
    { path: '/one/*', status: 299 },
    { path: '/deep/**', status: 299 },
    { path: '/api/etn/image/*', status: 299 },
  ),
)

proves(
  'scenario/answer-method',
  async (subject) => {
    const all = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'] as const
    const on = async (path: string): Promise<readonly boolean[]> => {
      const found = await statuses(subject, ...all.map((method) => [method, path] as const))
      return found.map((status) => status === 299)
    }
    expect(await on('/any')).toEqual([true, true, true, true, true, false])
    expect(await on('/read')).toEqual([true, true, false, false, false, false])
    expect(await on('/asked')).toEqual([false, false, false, false, false, true])
    const head = await subject.request('HEAD', '/read')
    expect(head).toMatchObject({ text: '', headers: { 'content-length': '4' } })
  },
  withAnswers(
    { path: '/any', status: 299 },
    { path: '/read', method: 'GET', status: 299, text: 'read' },
    { path: '/asked', method: 'OPTIONS', status: 299 },
  ),
)

proves(
  'scenario/answer-query',
  async ({ get }) => {
    const textAt = async (query: string): Promise<string> => (await get(`/list${query}`)).text
    expect(await textAt('?mode=cache&page=2')).toBe('second')
    expect(await textAt('?page=2&mode=local&more=1')).toBe('second, other mode')
    expect(await textAt('?page=%32&page=3')).toBe('second, other mode')
    expect(await textAt('?all=true')).toBe('all')
    expect(await textAt('?page=3')).toBe('first')
    expect(await textAt('')).toBe('first')
  },
  withAnswers(
    { path: '/list', query: { mode: 'cache', page: 2 }, text: 'second' },
    { path: '/list', query: { page: '2' }, text: 'second, other mode' },
    { path: '/list', query: { all: true }, text: 'all' },
    { path: '/list', text: 'first' },
  ),
)

proves(
  'scenario/answer-order',
  async (subject) => {
    const { emulator } = subject
    const uploads = Array.from({ length: 4 }, () => ['PUT', '/cache'] as const)
    expect(await statuses(subject, ...uploads)).toEqual([201, 201, 200, 200])
    expect(await statuses(subject, ['GET', '/once'], ['GET', '/once'])).toEqual([299, 404])
    await emulator!.reset()
    expect(await statuses(subject, ['PUT', '/cache'])).toEqual([201])
  },
  withAnswers(
    { method: 'PUT', path: '/cache', status: 201, times: 2 },
    { method: 'PUT', path: '/cache', status: 200 },
    { method: 'GET', path: '/once', status: 299, times: 1 },
  ),
)

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='

proves(
  'scenario/answer-content',
  async ({ get }) => {
    const typeAt = async (path: string): Promise<string | undefined> =>
      (await get(path)).headers['content-type']
    expect(await typeAt('/json')).toBe('application/json; charset=utf-8')
    expect(await typeAt('/text')).toBe('text/plain; charset=utf-8')
    expect(await typeAt('/picture')).toBe('image/png')
    expect((await get('/picture')).bytes.toString('base64')).toBe(png)
    expect(await typeAt('/bytes')).toBe('application/octet-stream')
    expect(await typeAt('/page')).toBe('text/html')
  },
  withAnswers(
    { path: '/json', json: null },
    { path: '/text', text: '3.31' },
    { path: '/picture', base64: png },
    { path: '/bytes', base64: 'AAEC' },
    { path: '/page', text: '<p>', headers: { 'content-type': 'text/html' } },
  ),
)

test('scenario/answer-content an answer from a file has the bytes of the file, and the type of its name', async () => {
  const folder = newFiles({
    'info.json': '{"a": 1}',
    'a.yaml': [
      'version: 1',
      'answers:',
      '  - { path: /info, from: info.json }',
      '  - { path: /typed, from: info.json, headers: { content-type: text/x-own } }',
    ].join('\n'),
  })
  const subject = await startSubject({ scenario: folder.path('a.yaml') })
  expect(await subject.get('/info')).toMatchObject({
    text: '{"a": 1}',
    headers: { 'content-type': 'application/json' },
  })
  expect((await subject.get('/typed')).headers['content-type']).toBe('text/x-own')
  await subject.close()
})

proves(
  'scenario/answer-other-method',
  async ({ deployment, request }) => {
    const deleted = await request('DELETE', '/pack/a')
    expect(deleted).toMatchObject({ status: 405, headers: { allow: 'GET,HEAD,POST' } })
    const put = await request('PUT', '/only-post')
    const own = deployment === 'hosted' ? 'POST' : 'GET,HEAD,POST'
    expect(put).toMatchObject({ status: 405, headers: { allow: own } })
    const queue = await request('DELETE', '/queue')
    expect(queue).toMatchObject({ status: 405, headers: { allow: 'GET,HEAD,PATCH,POST' } })
  },
  withAnswers(
    { method: 'GET', path: '/pack/*', text: 'a' },
    { method: 'POST', path: '/pack/a' },
    { method: 'POST', path: '/only-post' },
    { method: 'PATCH', path: '/queue' },
  ),
)

proves(
  'scenario/answer-access',
  async (subject) => {
    const { deployment, raw } = subject
    if (deployment === 'hosted') {
      expect((await subject.as('nobody').get('/pack')).status).toBe(401)
      return
    }
    const foreign = { Host: '127.0.0.1:8188', Origin: 'http://elsewhere.example' }
    expect((await raw('GET', '/pack', undefined, foreign)).status).toBe(403)
  },
  withAnswers({ path: '/pack', text: 'a' }),
)

proves(
  'scenario/answer-user',
  async (subject) => {
    expect((await subject.as('one').get('/pack')).status).toBe(299)
    expect((await subject.as('other').get('/pack')).status).toBe(404)
  },
  {
    accounts: [account('one'), account('other')],
    ...withAnswers({ path: '/pack', user: 'user-of-one', status: 299 }),
  },
)

proves(
  'scenario/answer-faults',
  async ({ get }) => {
    expect((await get('/pack')).status).toBe(418)
    expect((await get('/pack')).status).toBe(299)
  },
  scripted({
    answers: [{ path: '/pack', status: 299 }],
    faults: [{ when: { path: '/pack', nth: 1 }, then: { status: 418 } }],
  }),
)

proves(
  'scenario/answer-received',
  async ({ emulator, post }) => {
    for (const ui_id of ['a', 'b']) await post('/manager/queue/batch', { kind: 'install', ui_id })
    const tasks = await emulator!.requests({ method: 'POST' })
    expect(tasks.map(({ status, body }) => [status, body])).toEqual([
      [299, { kind: 'install', ui_id: 'a' }],
      [299, { kind: 'install', ui_id: 'b' }],
    ])
    const { path } = tasks[0]!
    const verdict = await emulator!.verify({ path, body: { ui_id: 'b' }, times: 1 })
    expect(verdict.passed).toBe(true)
  },
  withAnswers({ method: 'POST', path: '/manager/queue/batch', status: 299 }),
)

test('answers are part of the journal, and are loaded while a server runs', async () => {
  const subject = await startSubject(withAnswers({ path: '/pack', text: 'first' }))
  expect((await subject.get('/pack')).text).toBe('first')
  const answers = [{ path: '/pack', text: 'second' }]
  await subject.emulator!.load({ version: 1, answers })
  expect((await subject.get('/pack')).text).toBe('second')
  await subject.emulator!.reset()
  expect((await subject.get('/pack')).text).toBe('first')
  await subject.close()
})

test('scenario/answer-replaces an answer also replaces a file of the front end', async () => {
  const pages = newFiles({ 'index.html': 'page', 'own.js': 'file' })
  const answers = [{ path: '/own.js', text: 'answer' }]
  const subject = await startSubject(scripted({ answers }, { webRoot: pages.path('.') }))
  expect((await subject.get('/')).text).toBe('page')
  expect((await subject.get('/own.js')).text).toBe('answer')
  await subject.close()
})
