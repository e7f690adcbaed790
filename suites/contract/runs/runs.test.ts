// The execution of a workflow: which nodes run, in which order, and what ends a run.

import { failing, type Graph, node, slow, solid, textToImage } from '../../generate/graphs.ts'
import { errorOf } from '../../judge/failures.ts'
import { judgeOrder } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
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
      errorOf(await run(session, graph))?.exception_type
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

proves('runs/joined-texts', async (subject) => {
  const session = await subject.connect('me')
  const { entry } = await subject.run(session, {
    '1': node('StringConcatenate', { string_a: 'one', string_b: 'two', delimiter: ' - ' }),
    '2': node('PreviewAny', { source: ['1', 0] }),
  })
  expect(entry.outputs).toEqual({ '2': { text: ['one - two'] } })
})
