// The bodies of replies and requests, as bytes on the wire.

import { errors } from '../../../spec/index.ts'
import { everyPath, ownRunId } from '../../generate/every-path.ts'
import { slow, talking } from '../../generate/graphs.ts'
import { violations } from '../../judge/judge.ts'
import { passing, put } from '../../judge/own-files.ts'
import { proves } from '../../judge/proves.ts'
import { markedRuns } from '../../judge/responses.ts'
import { exchange, summaryOf } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const jsonType = 'application/json; charset=utf-8'

proves(
  'http/json-replies',
  async (subject) => {
    const { url, submit, idle, post, isOwn } = subject
    await submit(talking('grün'), { prompt_id: ownRunId })
    await idle()
    for (const { method, path, replies, needsFile } of everyPath) {
      const schema = replies[200]
      if (method === 'POST' || typeof schema !== 'object') continue
      const reply = await exchange(url, 'GET', path)
      if (needsFile && !isOwn && reply.status === 404) continue
      expect({ path, status: reply.status, contentType: reply.header('content-type') }).toEqual({
        path,
        status: 200,
        contentType: jsonType,
      })
      expect(reply.header('content-length')).toBe(`${Buffer.byteLength(reply.body)}`)
      expect(violations(schema, JSON.parse(reply.body))).toEqual([])
    }
    const { body } = await exchange(url, 'GET', `/history/${ownRunId}`)
    expect(JSON.parse(body)[ownRunId].prompt[2]).toEqual(talking('grün'))
    const data = [
      await submit(talking()),
      await post('/prompt', {}),
      await put(subject, { name: 'a', bytes: Buffer.from('a') }, passing),
    ]
    expect(data.map(({ status, headers }) => [status, headers['content-type']])).toEqual([
      [200, jsonType],
      [400, jsonType],
      [200, jsonType],
    ])
  },
  { deployment: 'local' },
)

proves(
  'http/json-without-type',
  async (subject) => {
    const { url, get, unique } = subject
    const mark = unique('grün')
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
      '',
    ]
    const body = JSON.stringify({ prompt: talking(), extra_data: { mine: mark } })
    for (const type of types) {
      expect((await exchange(url, 'POST', '/prompt', { 'Content-Type': type }, body)).status).toBe(
        200,
      )
    }
    expect((await exchange(url, 'POST', '/prompt', {}, body)).status).toBe(200)
    const six = Array.from({ length: 6 }, () => ({ mine: mark }))
    expect(await markedRuns(subject, mark)).toEqual(six)
    await exchange(url, 'POST', '/queue', { 'Content-Type': 'text/plain' }, '{"clear": true}')
    expect((await get('/queue')).json().queue_pending).toEqual([])
  },
  { deployment: 'local' },
)

proves('http/broken-json', async (subject) => {
  const { url } = subject
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
  // An interrupt works without a body, and treats a malformed one as none.
  for (const [path, body] of [...ways, ['/interrupt', '5'], ['/interrupt', 'null']] as const) {
    const reply = await exchange(url, 'POST', path, {}, body)
    const { status, type, body: text } = summaryOf(reply)
    expect({ path, sent: body.toString(), status, type, body: text }).toEqual({
      path,
      sent: body.toString(),
      status: 500,
      type: 'text/plain; charset=utf-8',
      body: errors.refusals.internal.body.text,
    })
    expect(reply.header('connection')).toBe('close')
  }
  expect(await markedRuns(subject, subject.unique('broken'))).toEqual([])
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
    expect([path, summaryOf(reply)]).toEqual([
      path,
      { status, type: undefined, length: '0', body: '' },
    ])
  }
})
