// Bodies and methods on any local server, whose queue and history hold runs of others.

import { everyPath } from '../../generate/every-path.ts'
import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { listedIds, occupy, submitFor } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { exchange, summaryOf } from '../../judge/wire.ts'

const local = { deployment: 'local' } as const
const types = [
  'text/plain',
  'text/plain; charset=utf-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'nonsense',
  '',
]

proves(
  'http/json-without-type',
  async (subject) => {
    const { url } = subject
    for (const type of [...types, undefined]) {
      const mark = subject.unique(`grün ${type}`)
      const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type }
      const post = async (path: string, value: unknown) => {
        const reply = await exchange(url, 'POST', path, headers, JSON.stringify(value))
        expect({ path, type, status: reply.status, body: reply.body }).toMatchObject({
          status: 200,
        })
        return reply.body
      }
      const body = { prompt: talking(mark), extra_data: { mine: mark } }
      const { prompt_id } = JSON.parse(await post('/prompt', body))
      await post('/queue', { delete: ['nowhere'] })
      await subject.idle()
      expect(await subject.finished(prompt_id)).toMatchObject({
        graph: talking(mark),
        extra_data: { mine: mark },
      })
      await post('/history', { delete: [prompt_id] })
      expect(await subject.finished(prompt_id)).toBeUndefined()
    }
  },
  local,
)

const nothing = { type: undefined, length: '0', body: '' }

proves('http/empty-replies', async (subject) => {
  const held = await occupy(subject, await subject.connect(subject.unique('me')))
  const id = JSON.stringify(held.prompt_id)
  const empty: [status: number, method: string, path: string, body: string][] = [
    [200, 'POST', '/queue', '{"delete": ["nowhere"]}'],
    [200, 'POST', '/queue', '{}'],
    [200, 'POST', '/history', '{"delete": ["nowhere"]}'],
    [200, 'POST', '/history', '{}'],
    [200, 'POST', '/interrupt', `{"prompt_id": ${id}}`],
    [200, 'OPTIONS', '/queue', ''],
    [404, 'GET', '/models/nowhere', ''],
    [404, 'GET', '/view?filename=nowhere.png', ''],
    [403, 'GET', '/view?filename=x.png&subfolder=../..', ''],
    [400, 'GET', '/view?filename=/x.png', ''],
    [400, 'POST', '/upload/image', '{}'],
  ]
  for (const [status, method, path, body] of empty) {
    const reply = await exchange(subject.url, method, path, {}, body)
    expect([path, summaryOf(reply)]).toEqual([path, { status, ...nothing }])
  }
})

// The same for what concerns everyone.
proves('http/empty-replies', async ({ url }) => {
  const empty: [path: string, body: string][] = [
    ['/queue', '{"clear": true}'],
    ['/history', '{"clear": true}'],
    ['/free', '{"free_memory": true}'],
    ['/free', '{"unload_models": true}'],
    ['/interrupt', ''],
  ]
  for (const [path, body] of empty)
    expect([path, summaryOf(await exchange(url, 'POST', path, {}, body))]).toEqual([
      path,
      { status: 200, ...nothing },
    ])
})

proves('http/options', async ({ url }) => {
  const paths = everyPath.map(({ path }) => path)
  for (const path of [...paths, '/nowhere', '/api/nowhere', '/nowhere/', '/a/b/c?d=e']) {
    const reply = await exchange(url, 'OPTIONS', path)
    expect([path, summaryOf(reply)]).toEqual([path, { status: 200, ...nothing }])
  }
})

// It does nothing, whatever its body says.
proves('http/options', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const { prompt_id: over } = await subject.run(session, talking(subject.unique('over')))
  const held = await occupy(subject, session)
  const waiting = await submitFor(subject, session, talking(subject.unique('waiting')))
  const body = JSON.stringify({ clear: true, delete: [over, waiting] })
  for (const path of ['/queue', '/history', '/api/queue', '/interrupt'])
    expect(await exchange(subject.url, 'OPTIONS', path, {}, body)).toMatchObject({ status: 200 })
  const { running, pending } = await listedIds(subject)
  expect([running.includes(held.prompt_id), pending.includes(waiting)]).toEqual([true, true])
  expect(await subject.finished(over)).toBeDefined()
  await held.stop()
})
