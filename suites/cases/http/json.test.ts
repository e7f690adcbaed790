// JSON and empty bodies: how replies carry them, and how the server reads those of requests.

import { errors } from '../../../spec/index.ts'
import { everyHostedPath, everyPath, ownRunId } from '../../generate/every-path.ts'
import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { violations } from '../../judge/judge.ts'
import { passing, put } from '../../judge/own-files.ts'
import { me, occupy } from '../../judge/own-runs.ts'
import { proves, provesHosted, provesLocal } from '../../judge/proves.ts'
import { markedRuns } from '../../judge/responses.ts'
import { emptyAnswer, exchanges, wireExchanges, withEach } from '../../judge/rows.ts'
import { exchange } from '../../judge/wire.ts'

const jsonType = 'application/json; charset=utf-8'
const key = { 'X-API-Key': 'test-key' }

provesLocal('http/json-replies', async (subject) => {
  const { url, submit, idle, post, isOwn } = subject
  await submit(talking('grün'), { prompt_id: ownRunId })
  await idle()
  for (const { method, path, replies, needsFile } of everyPath) {
    const schema = replies[200]
    if (method === 'POST' || typeof schema !== 'object') continue
    const { status, body, header } = await exchange(url, 'GET', path)
    if (needsFile && !isOwn && status === 404) continue
    const [type, length] = [header('content-type'), header('content-length')]
    const expected = { status: 200, type: jsonType, length: `${Buffer.byteLength(body)}` }
    expect({ path, status, type, length }).toEqual({ path, ...expected })
    expect(violations(schema, JSON.parse(body))).toEqual([])
  }
  const { body } = await exchange(url, 'GET', `/history/${ownRunId}`)
  expect(JSON.parse(body)[ownRunId].prompt[2]).toEqual(talking('grün'))
  const file = { name: 'a', bytes: Buffer.from('a') }
  for (const reply of [
    await submit(talking()),
    await post('/prompt', {}),
    await put(subject, file, passing),
  ])
    expect(reply.headers).toMatchObject({ 'content-type': jsonType })
})

provesHosted('http/json-replies', async ({ url, isOwn }) => {
  for (const { method, path } of everyHostedPath) {
    if (method !== 'GET' || path === '/ws') continue
    const { body, header } = await exchange(url, 'GET', path, key)
    if (!/^[[{]/.test(body)) continue
    expect({ path, type: header('content-type') }).toEqual({ path, type: jsonType })
    if (isOwn) expect(header('content-length')).toBe(`${Buffer.byteLength(body)}`)
  }
})

const types = [
  'text/plain',
  'text/plain; charset=utf-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'nonsense',
  '',
]

provesLocal('http/json-without-type', async (subject) => {
  const { url, submit, queue } = subject
  const post = async (path: string, value: unknown, type?: string) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type }
    const { status, body } = await exchange(url, 'POST', path, headers, JSON.stringify(value))
    expect({ path, type, status, body }).toMatchObject({ status: 200 })
    return body
  }
  for (const type of [...types, undefined]) {
    const mark = subject.unique(`grün ${type}`)
    const body = { prompt: talking(mark), extra_data: { mine: mark } }
    const { prompt_id } = JSON.parse(await post('/prompt', body, type))
    await post('/queue', { delete: ['nowhere'] }, type)
    await subject.idle()
    const entry = await subject.finished(prompt_id)
    expect(entry).toMatchObject({ graph: talking(mark), extra_data: { mine: mark } })
    await post('/history', { delete: [prompt_id] }, type)
    expect(await subject.finished(prompt_id)).toBeUndefined()
  }
  if (!subject.isOwn) return
  await submit(talking())
  expect((await queue()).pending).toHaveLength(1)
  await post('/queue', { clear: true }, 'text/plain')
  expect((await queue()).pending).toEqual([])
})

provesHosted('http/json-without-type', async ({ url, get, unique }) => {
  for (const [index, type] of types.entries()) {
    const name = unique(`typed-${index}`)
    const body = JSON.stringify({ [name]: 'grün' })
    const sent = { ...key, 'Content-Type': type }
    const answer = { status: 200, 'content-type': jsonType }
    await wireExchanges(url, [['POST', '/api/settings', answer, sent, body]])
    expect((await get('/settings')).json()).toMatchObject({ [name]: 'grün' })
  }
})

const notText = [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), Buffer.from('\uFEFF{}')]
const notObjects = ['5', '-1.5', 'null', 'true']
const notJson = ['', '{', 'nonsense', "{'a': 1}", '{"a": 1} x', '{"a": 01}']

proves('http/broken-json', async (subject) => {
  const failure = {
    status: 500,
    'content-type': 'text/plain; charset=utf-8',
    body: errors.refusals.internal.body.text,
    connection: 'close',
  }
  for (const path of ['/prompt', '/queue', '/history', '/free'])
    for (const body of [...notJson, ...notObjects, ...notText])
      await wireExchanges(subject.url, [['POST', path, failure, {}, body]])
  // An interrupt works without a body, and treats a malformed one as none.
  for (const body of ['5', 'null'])
    await wireExchanges(subject.url, [['POST', '/interrupt', failure, {}, body]])
  expect(await markedRuns(subject, subject.unique('broken'))).toEqual([])
})

proves('http/empty-replies', async (subject) => {
  const { prompt_id } = await occupy(subject, await me(subject))
  const refusal = (status: number) => ({ ...emptyAnswer, status })
  await wireExchanges(subject.url, [
    ['POST', '/queue', emptyAnswer, {}, '{"delete": ["nowhere"]}'],
    ['POST', '/queue', emptyAnswer, {}, '{}'],
    ['POST', '/history', emptyAnswer, {}, '{"delete": ["nowhere"]}'],
    ['POST', '/history', emptyAnswer, {}, '{}'],
    ['POST', '/interrupt', emptyAnswer, {}, JSON.stringify({ prompt_id })],
    ['OPTIONS', '/queue', emptyAnswer],
    ['GET', '/models/nowhere', refusal(404)],
    ['GET', '/view?filename=nowhere.png', refusal(404)],
    ['GET', '/view?filename=x.png&subfolder=../..', refusal(403)],
    ['GET', '/view?filename=/x.png', refusal(400)],
    ['POST', '/upload/image', refusal(400), {}, '{}'],
  ])
})

// The same for what concerns everyone, which not every operator allows.
proves('http/empty-replies', ({ url }) =>
  wireExchanges(url, [
    ['POST', '/queue', emptyAnswer, {}, '{"clear": true}'],
    ['POST', '/history', emptyAnswer, {}, '{"clear": true}'],
    ['POST', '/free', emptyAnswer, {}, '{"free_memory": true}'],
    ['POST', '/free', emptyAnswer, {}, '{"unload_models": true}'],
    ['POST', '/interrupt', emptyAnswer],
  ]),
)

proves('http/member-in-text', (subject) => {
  const texts = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value))
  const trips = ['prompt', 'my prompt', ['prompt'], 'number', ['front']]
  const nodes = ['class_type', 'my class_type', ['class_type']]
  const changes = ['clear', 'delete', ['delete'], ['x', 'clear'], 'undeleted']
  const others = ['', [], ['cleared'], 'cle']
  const graphs = (values: readonly unknown[]) => values.map((node) => ({ prompt: { '1': node } }))
  return exchanges(subject, [
    ...withEach(texts(trips), 'POST', '/prompt', 500),
    ...withEach(texts(['', 'promp', ['my prompt'], [['prompt']]]), 'POST', '/prompt', 400),
    ...withEach(graphs(nodes), 'POST', '/prompt', 500),
    ...withEach(graphs(['class']), 'POST', '/prompt', 400),
    ...withEach(texts(changes), 'POST', '/queue', 500),
    ...withEach(texts(changes), 'POST', '/history', 500),
    ...withEach(texts(others), 'POST', '/queue', 200),
    ...withEach(texts(others), 'POST', '/history', 200),
  ])
})
