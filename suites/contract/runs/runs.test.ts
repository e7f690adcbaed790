// The execution of a workflow: which nodes run, in which order, and what ends a run.

import { failing, type Graph, node, slow, solid, textToImage } from '../../generate/graphs.ts'
import { judgeOrder } from '../../judge/judge.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { nodesOf, transcript } from '../../support/transcript.ts'
import { expect } from '../../judge/expect.ts'

const picture = { width: 64, height: 64, batch_size: 1, color: 0 }

proves(
  'runs/sources-first',
  async ({ connect, run }) => {
    const { messages } = await run(await connect('me'), {
      show: node('PreviewImage', { images: ['turn', 0] }),
      unneeded: node('ImageInvert', { image: ['fill', 0] }),
      turn: node('ImageInvert', { image: ['join', 0] }),
      join: node('ImageBatch', { image1: ['fill', 0], image2: ['back', 0] }),
      back: node('ImageInvert', { image: ['fill', 0] }),
      fill: node('EmptyImage', picture),
    })
    expect(nodesOf('executing', messages)).toEqual(['fill', 'back', 'join', 'turn', 'show'])
    expect(nodesOf('executed', messages)).toEqual(['show'])
  },
  ownWorld,
)

const imageToImage: Graph = {
  '1': node('CheckpointLoaderSimple', { ckpt_name: 'sd_xl_base_1.0.safetensors' }),
  '2': node('LoadImage', { image: 'example.png' }),
  '3': node('VAEEncode', { pixels: ['2', 0], vae: ['1', 2] }),
  '4': node('CLIPTextEncode', { text: 'a harbour', clip: ['1', 1] }),
  '5': node('CLIPTextEncode', { text: 'blurred', clip: ['1', 1] }),
  '6': node('KSampler', {
    model: ['1', 0],
    seed: 1,
    steps: 1,
    cfg: 8,
    sampler_name: 'euler',
    scheduler: 'normal',
    positive: ['4', 0],
    negative: ['5', 0],
    latent_image: ['3', 0],
    denoise: 0.5,
  }),
  '7': node('VAEDecode', { samples: ['6', 0], vae: ['1', 2] }),
  '8': node('PreviewImage', { images: ['7', 0] }),
}

const twoChains: Graph = {
  '1': node('LoadImage', { image: 'example.png' }),
  '2': node('ImageInvert', { image: ['1', 0] }),
  '3': node('PreviewImage', { images: ['2', 0] }),
  '4': node('LoadImage', { image: 'example.png' }),
  '5': node('PreviewImage', { images: ['4', 0] }),
}

/** `near` is two links before the output, and `far` three. */
const unequalArms: Graph = {
  show: node('PreviewImage', { images: ['join', 0] }),
  join: node('ImageBatch', { image1: ['near', 0], image2: ['turn', 0] }),
  turn: node('ImageInvert', { image: ['far', 0] }),
  near: node('EmptyImage', { ...picture, color: 1 }),
  far: node('EmptyImage', { ...picture, color: 2 }),
}

/** `near` is one link before the output, and `far` two. */
const shortArm: Graph = {
  show: node('FlowdoubleText', { text: ['near', 0], value: ['turn', 0] }),
  turn: node('ImageInvert', { image: ['far', 0] }),
  near: node('PrimitiveString', { value: 'hello' }),
  far: node('EmptyImage', { ...picture, color: 3 }),
}

proves(
  'runs/node-order',
  async ({ connect, run }) => {
    const session = await connect('me')
    const orderOf = async (graph: Graph): Promise<readonly unknown[]> => {
      const { messages } = await run(session, graph)
      await run(session, solid())
      return nodesOf('executing', messages)
    }
    expect(await orderOf(textToImage())).toEqual(['4', '5', '7', '6', '3', '8', '9'])
    expect(await orderOf(imageToImage)).toEqual(['1', '2', '3', '5', '4', '6', '7', '8'])
    expect(await orderOf(unequalArms)).toEqual(['near', 'far', 'turn', 'join', 'show'])
    expect(await orderOf(shortArm)).toEqual(['near', 'far', 'turn', 'show'])
  },
  ownWorld,
)

proves(
  'runs/node-order',
  async ({ connect, run, upload, get }) => {
    const { bytes } = await get('/view?filename=example.png&type=input')
    await upload({ name: 'other.png', bytes: Buffer.concat([bytes, Buffer.from('other')]) })
    const graph = { ...twoChains, '4': node('LoadImage', { image: 'other.png' }) }
    const { messages } = await run(await connect('me'), graph)
    expect(nodesOf('executing', messages)).toEqual(['4', '5', '1', '2', '3'])
  },
  ownWorld,
)

proves(
  'runs/order-of-outputs',
  async ({ connect, run, get }) => {
    const session = await connect('me')
    const chain = (id: string, color: number): Graph => ({
      [`${id} source`]: node('EmptyImage', { width: 8, height: 8, batch_size: 1, color }),
      [`${id} turn`]: node('ImageInvert', { image: [`${id} source`, 0] }),
      [id]: node('PreviewImage', { images: [`${id} turn`, 0] }),
    })
    const graph = { ...chain('one', 1), ...chain('two', 2), ...chain('three', 3) }
    const { prompt_id, messages } = await run(session, graph)
    const { prompt } = (await get(`/history/${prompt_id}`)).json()[prompt_id]
    const outputs: string[] = prompt[4]
    expect(new Set(outputs)).toEqual(new Set(['one', 'two', 'three']))
    // Sources of one rank go in the order of their outputs; an output goes as soon as it is ready.
    const order = nodesOf('executing', messages)
    expect(order.filter((id) => outputs.includes(String(id)))).toEqual(outputs)
    expect(new Set(order)).toEqual(new Set(Object.keys(graph)))
  },
  ownWorld,
)

proves(
  'runs/failure-ends',
  async ({ connect, run, queue, history, deployment }) => {
    const session = await connect('me')
    const { prompt_id, messages, entry } = await run(session, {
      ...failing(),
      said: node('FlowdoubleText', { text: 'first' }),
      worse: node('FlowdoubleFail', {
        exception_type: 'KeyError',
        message: 'later',
        value: ['said', 0],
      }),
      after: node('FlowdoubleText', { text: 'never', value: ['2', 0] }),
    })
    expect(judgeOrder(deployment, messages)).toEqual([])
    expect(nodesOf('executing', messages)).toEqual(['said', 'worse'])
    expect(entry.outputs).toEqual({ said: { text: ['first'] } })
    expect(entry.status.status_str).toBe('error')
    expect(entry.status.messages.map(([type]) => type)).toEqual([
      'execution_start',
      'execution_cached',
      'execution_error',
    ])
    await session.settled()
    expect(
      transcript(session.messages()).filter((line) => /^execution_(error|succ)/.test(line)),
    ).toEqual(['execution_error worse'])
    expect((await queue()).running).toEqual([])
    expect(await history()).toEqual([prompt_id])
  },
  ownWorld,
)

// A day is the longest that a flowdouble node takes.
const daySeconds = 86_400

proves(
  'runs/no-time-out',
  async ({ connect, run }) => {
    const [session, other] = [await connect('me'), await connect('other')]
    const { messages, entry } = await run(session, slow(daySeconds, 1))
    const times = messages.flatMap(({ data }) => (data['timestamp'] as number | undefined) ?? [])
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(1000 * daySeconds)
    expect(entry.status.status_str).toBe('success')
    await other.settled()
    expect(transcript(other.received).at(-1)).toBe('status 0')
  },
  // Only with a manual clock: nobody waits a day for a server elsewhere.
  { seed: 'a day' },
)

proves(
  'runs/local-exception-names',
  async ({ connect, run }) => {
    const session = await connect('me')
    const nameOf = async (graph: Graph): Promise<unknown> =>
      (await run(session, graph)).messages.find(({ type }) => type === 'execution_error')?.data[
        'exception_type'
      ]
    const vast = { ...picture, width: 16384, height: 16384 }
    const partner = node('OpenAIDalle3', { prompt: 'a lighthouse' })
    expect(await nameOf(failing('KeyError'))).toBe('KeyError')
    expect(await nameOf({ ...solid(), '1': node('EmptyImage', vast) })).toBe(
      'torch.OutOfMemoryError',
    )
    expect(await nameOf({ ...solid(), '1': partner })).toBe('Exception')
  },
  ownWorld,
)

/** Submits that crash the worker of a real server; it accepts each. */
const poison: readonly (readonly [Graph, Readonly<Record<string, unknown>>])[] = [
  [{ ...solid(), '2': node('SaveImage', { ...solid()['2']?.inputs, extra: ['77', 0] }) }, {}],
  [{ ...solid(), '5': { class_type: 'EmptyImage' } as Graph[string] }, {}],
  [{ ...solid(), '5': { class_type: 'EmptyImage', inputs: null } as unknown as Graph[string] }, {}],
  [solid(), { extra_data: null }],
  [solid(), { extra_data: 'with client_id' }],
  [solid(), { client_id: ['me'] }],
  [solid(), { client_id: { me: 1 } }],
]

proves(
  'runs/poison-fails-its-run',
  async ({ submit, get, idle }) => {
    for (const [index, [graph, fields]] of poison.entries()) {
      const reply = await submit(graph, { prompt_id: `bad ${index}`, ...fields })
      expect({ status: reply.status, node_errors: reply.json().node_errors }).toEqual({
        status: 200,
        node_errors: {},
      })
      await submit(solid(index + 1), { prompt_id: `good ${index}` })
    }
    await idle()
    expect((await get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
    const history = (await get('/history')).json()
    for (const index of poison.keys()) {
      const { status, outputs } = history[`bad ${index}`]
      expect([status.status_str, status.messages.at(-1)[0]]).toEqual(['error', 'execution_error'])
      expect(outputs).toEqual({})
      expect(history[`good ${index}`].status.status_str).toBe('success')
    }
  },
  ownWorld,
)

proves(
  'runs/not-a-number',
  async ({ submit, idle, get }) => {
    await submit({ '1': node('FlowdoubleSlow', { seconds: 'nan' }) }, { prompt_id: 'bad' })
    await submit(solid(), { prompt_id: 'good' })
    await idle()
    // As in Python, the entry holds a bare NaN, which is not valid JSON.
    expect((await get('/history/bad')).text).toMatch(/"status_str": "error".*"ValueError"/)
    expect((await get('/history/good')).json().good.status.status_str).toBe('success')
  },
  { ...ownWorld, deployment: 'local' },
)

proves(
  ['runs/poison-fails-its-run', 'messages/order'],
  async ({ connect, run }) => {
    const [graph] = poison[0]!
    const { messages } = await run(await connect('me'), graph)
    expect(judgeOrder('local', messages)).toEqual([])
    expect(transcript(messages).slice(0, 4)).toEqual([
      'status 1',
      'status 1',
      'execution_start',
      'execution_cached',
    ])
    expect(transcript(messages).slice(5)).toEqual(['status 0', 'executing null'])
    expect(messages[4]?.type).toBe('execution_error')
  },
  ownWorld,
)

proves(
  'runs/poison-fails-its-run',
  async ({ connect, run }) => {
    const idle = node('EmptyImage', { ...picture, extra: ['77', 0] })
    const { entry } = await run(await connect('me'), { ...solid(), idle })
    expect(entry.status.status_str).toBe('success')
  },
  ownWorld,
)

/** Runs that differ only in their graphs. */
const sameRun = { number: 5, prompt_id: 'same' }

proves(
  'queue/priority-collisions',
  async ({ connect, submit, get, reach, idle }) => {
    const session = await connect('me')
    await submit(slow(), { prompt_id: 'first', client_id: 'me' })
    await reach(session, ({ type }) => type === 'progress')
    const statusOf = async (color: number, fields: object): Promise<number> =>
      (await submit(solid(color), { client_id: 'me', ...sameRun, ...fields })).status
    expect(await statusOf(1, {})).toBe(200)
    expect(await statusOf(1, {})).toBe(200)
    expect(await statusOf(2, { number: 6 })).toBe(200)
    expect(await statusOf(2, { prompt_id: 'other' })).toBe(200)
    await session.settled()
    const statusCount = session.messages().filter(({ type }) => type === 'status').length
    expect(await statusOf(2, { number: 6, client_id: 'you' })).toBe(500)
    await session.settled()
    expect(session.messages().filter(({ type }) => type === 'status')).toHaveLength(statusCount)
    const { queue_pending } = (await get('/queue')).json()
    const pending = queue_pending.map(
      ([number, id]: unknown[]) => `${String(number)} ${String(id)}`,
    )
    expect(pending.toSorted()).toEqual(['5 other', '5 same', '5 same', '6 same', '6 same'])
    await idle()
    const history = (await get('/history')).json()
    expect(Object.keys(history).toSorted()).toEqual(['first', 'other', 'same'])
    expect(history.same.prompt[3]).toEqual({ client_id: 'you' })
    expect(history.same.status.status_str).toBe('success')
  },
  ownWorld,
)

proves(
  ['runs/poison-fails-its-run', 'queue/priority-collisions'],
  async ({ submit, get, idle }) => {
    await submit(slow(), { prompt_id: 'first' })
    const statuses: number[] = []
    for (const color of [1, 2, 3]) statuses.push((await submit(solid(color), sameRun)).status)
    expect(statuses).toEqual([200, 500, 500])
    await submit(solid(4), { prompt_id: 'behind', number: 9 })
    await idle()
    expect((await get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
    const history = (await get('/history')).json()
    const words = ['first', 'same', 'behind'].map((id) => history[id].status.status_str)
    expect(words).toEqual(['success', 'error', 'success'])
    for (const name of ['solid_00001_.png', 'solid_00002_.png', 'solid_00003_.png']) {
      expect((await get(`/view?filename=${name}`)).status).toBe(200)
    }
    expect((await get('/view?filename=solid_00004_.png')).status).toBe(404)
  },
  ownWorld,
)

provesQuirk('queue.poison-kills-worker', async ({ submit, get, post, idle }) => {
  const idsOf = (runs: readonly (readonly unknown[])[]): unknown[] => runs.map(([, id]) => id)
  const [graph] = poison[0]!
  await submit(solid(), { prompt_id: 'before' })
  await submit(graph, { prompt_id: 'bad' })
  await submit(solid(), { prompt_id: 'behind' })
  await idle()
  await submit(solid(), { prompt_id: 'later' })
  await post('/interrupt', {})
  await idle()
  const { queue_running, queue_pending } = (await get('/queue')).json()
  expect([idsOf(queue_running), idsOf(queue_pending)]).toEqual([['bad'], ['behind', 'later']])
  expect(Object.keys((await get('/history')).json())).toEqual(['before'])
})
