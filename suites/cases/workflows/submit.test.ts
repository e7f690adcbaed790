// Submitting workflows that run: the reply, the graph, extra_data.

import { submitReply } from '../../../spec/server/workflows.ts'
import { node, solid } from '../../generate/graphs.ts'
import { type Message, violations } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { dial } from '../../judge/wire.ts'

const show = (source: unknown) => node('PreviewAny', { source })

proves(
  'workflows/submit-queues',
  async ({ submit, idle, queue, history, finished }) => {
    const reply = await submit(solid())
    expect(reply.status).toBe(200)
    const { prompt_id } = reply.json()
    const listed = { prompt_id, graph: solid(), targets: ['2'] }
    expect((await queue()).pending).toMatchObject([listed])
    await idle()
    expect(await history()).toEqual([prompt_id])
    const status = { status_str: 'success', completed: true }
    expect(await finished(prompt_id)).toMatchObject({ ...listed, status })
  },
  ownWorld,
)

proves(
  'workflows/reply',
  async ({ submit }) => {
    const reply = (await submit(solid())).json()
    expect(violations(submitReply, reply)).toEqual([])
    expect(reply).toEqual({ prompt_id: expect.any(String), number: 0, node_errors: {} })
    expect((await submit(solid())).json().number).toBe(1)
  },
  ownWorld,
)

proves(
  'workflows/answers-first',
  async ({ connect, submit, reach }) => {
    const session = await connect('me')
    const { prompt_id } = (await submit(solid(), { client_id: 'me' })).json()
    await session.settled()
    expect(session.messages().filter(({ type }) => type !== 'status')).toEqual([])
    const first = await reach(session, ({ type }) => type !== 'status')
    expect(first).toMatchObject({ type: 'execution_start', data: { prompt_id } })
  },
  ownWorld,
)

// On an instant clock the whole run happens in the moment of its submit, and still the reply is first.
proves(
  'workflows/answers-first',
  async ({ connect, url }) => {
    const session = await connect('me')
    const isStart = ({ type }: Message): boolean => type === 'execution_start'
    const body = JSON.stringify({ prompt: solid(), client_id: 'me' })
    const socket = dial(url)
    const isHere = await new Promise((resolve, reject) => {
      socket.once('data', () => resolve(session.messages().some(isStart))).once('error', reject)
      const head = `POST /prompt HTTP/1.1\r\nHost: here\r\nContent-Length: ${body.length}\r\n\r\n`
      socket.write(head + body)
    })
    socket.destroy()
    expect(isHere).toBe(false)
    await session.next(isStart)
    await session.next(({ type, data }) => type === 'executing' && data['node'] === null)
  },
  { clock: 'instant', deployment: 'local' },
)

proves(
  'workflows/graph-by-id',
  async ({ post, submit, queue }) => {
    const ids = {
      'a b': solid()['1']!,
      '7:1': { ...solid()['2']!, inputs: { images: ['a b', 0], filename_prefix: 'x' } },
    }
    expect((await submit(ids)).json().node_errors).toEqual({})
    expect((await queue()).pending.map(({ graph }) => graph)).toEqual([ids])
    const withoutInputs = { '1': { class_type: 'FlowdoubleSlow' } }
    const [error] = (await post('/prompt', { prompt: withoutInputs })).json().node_errors['1']
      .errors
    expect(error).toMatchObject({ type: 'exception_during_validation', details: "'inputs'" })
  },
  ownWorld,
)

proves(
  'workflows/graph-by-id',
  async ({ post }) => {
    const nodes = [{ '1': null }, { '1': 5 }, { '1': { class_type: [] } }]
    for (const prompt of [null, 5, 'text', [1], ...nodes]) {
      expect((await post('/prompt', { prompt })).status).toBe(500)
    }
  },
  { deployment: 'local' },
)

proves('workflows/linked-inputs', async ({ connect, run }) => {
  const session = await connect('me')
  const { entry } = await run(session, {
    '1': { class_type: 'EmptyImage', inputs: { width: 48, height: 32, batch_size: 1, color: 0 } },
    '2': { class_type: 'GetImageSize', inputs: { image: ['1', 0] } },
    '3': show(['2', 0]),
    '4': show(['2', 1]),
    '5': show('a literal'),
  })
  expect(entry.outputs).toEqual({
    '3': { text: ['48'] },
    '4': { text: ['32'] },
    '5': { text: ['a literal'] },
  })
})

proves(
  'workflows/extra-data-kept',
  async ({ submit, idle, queue, finished }) => {
    const extra_data = {
      extra_pnginfo: { workflow: { nodes: [1.5, null, 'ü'] } },
      mine: { deep: [true] },
    }
    const { prompt_id } = (await submit(solid(), { extra_data })).json()
    expect((await queue()).pending.map((one) => one.extra_data)).toEqual([extra_data])
    await idle()
    expect((await finished(prompt_id))?.extra_data).toEqual(extra_data)
  },
  ownWorld,
)
