// An interrupt at every moment of two runs: what it ends is what the rules say, and the other run never notices.

import { expect, test } from 'vitest'
import type { Session } from '../client.ts'
import { type Graph, node } from '../graphs.ts'
import { judgeOrder, type Message } from '../judge.ts'
import { startSubject, type Subject } from '../subject.ts'

/** A node of two steps, one that changes its picture, and an output. */
const graphOf = (seed: number): Graph => ({
  paint: node('FlowdoublePreviews', { width: 16, height: 16, steps: 2, seed }),
  turn: node('ImageInvert', { image: ['paint', 0] }),
  save: node('SaveImage', { images: ['turn', 0], filename_prefix: `picture ${seed}` }),
})
const runs = ['one', 'two'] as const
type Id = (typeof runs)[number]
/** Whom an interrupt names. */
const targets = [undefined, 'one', 'two', 'three'] as const

/** Submits both runs, lets the body happen, and closes. */
async function withRuns(body: (subject: Subject, session: Session) => Promise<void>) {
  const subject = await startSubject()
  try {
    const session = await subject.connect('me')
    for (const [seed, prompt_id] of runs.entries()) {
      await subject.submit(graphOf(seed), { prompt_id, client_id: 'me' })
    }
    await body(subject, session)
  } finally {
    await subject.close()
  }
}

/** Lets the next due thing happen, and gives the messages that it sends. */
async function tick({ emulator }: Subject, session: Session): Promise<readonly Message[]> {
  await session.settled()
  const before = session.messages().length
  await emulator?.until(() => true)
  await session.settled()
  return session.messages().slice(before)
}

const idOf = ({ data }: Message): unknown => data['prompt_id']
const isEnd = ({ type, data }: Message): boolean => type === 'executing' && data['node'] === null

/** The messages of each due moment of both runs when nobody interrupts. */
async function watch(): Promise<(readonly Message[])[]> {
  const ticks: (readonly Message[])[] = []
  const isOver = (): boolean => ticks.flat().filter(isEnd).length === runs.length
  await withRuns(async (subject, session) => {
    while (!isOver()) ticks.push(await tick(subject, session))
  })
  return ticks
}

/** The node at which a run looks for an interrupt in these messages: one that begins, or takes a step. */
const checkedNode = (messages: readonly Message[], id: Id): string | undefined =>
  messages.find(
    (message) =>
      idOf(message) === id && /^(executing|progress)$/.test(message.type) && !isEnd(message),
  )?.data['node'] as string | undefined

/** The run that is interrupted behind so many moments, and the node where it ends; undefined when none is. */
function expected(ticks: readonly (readonly Message[])[], position: number, target?: string) {
  const before = ticks.slice(0, position).flat()
  const started = before.findLast(({ type }) => type === 'execution_start')
  const id = started === undefined ? undefined : (idOf(started) as Id)
  if (id === undefined || before.some((message) => isEnd(message) && idOf(message) === id)) return
  if (target !== undefined && target !== id) return
  const nodes = ticks.slice(position).map((messages) => checkedNode(messages, id))
  const node_id = nodes.find((node) => node !== undefined)
  return node_id === undefined ? undefined : { id, node_id }
}

/** Interrupts behind so many moments, and holds the ends of both runs against what is expected. */
async function interrupt(
  ticks: readonly (readonly Message[])[],
  position: number,
  target?: string,
): Promise<string> {
  const hit = expected(ticks, position, target)
  await withRuns(async (subject, session) => {
    for (let count = 0; count < position; count++) await tick(subject, session)
    await subject.post('/interrupt', target === undefined ? {} : { prompt_id: target })
    await subject.idle()
    await session.settled()
    const history = (await subject.get('/history')).json()
    expect((await subject.get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
    const messages = session.messages().slice(1)
    const cut = messages.findIndex(isEnd) + 1
    for (const [at, id] of runs.entries()) {
      const own = at === 0 ? messages.slice(0, cut) : messages.slice(cut)
      expect(judgeOrder('local', own)).toEqual([])
      const { status, outputs } = history[id]
      const [type, data] = status.messages.at(-1)
      const place = { position, target, id }
      if (hit?.id === id) {
        expect({ ...place, type, node: data.node_id, outputs }).toEqual({
          ...place,
          type: 'execution_interrupted',
          node: hit.node_id,
          outputs: {},
        })
      } else {
        expect({ ...place, type }).toEqual({ ...place, type: 'execution_success' })
        expect(outputs.save.images).toHaveLength(1)
      }
    }
  })
  return hit === undefined ? 'nothing' : `${hit.id} ${hit.node_id}`
}

test('interleave/interrupt An interrupt at any moment ends the running run at its next look, and no other.', async () => {
  const ticks = await watch()
  expect(ticks.length).toBeGreaterThan(10)
  const seen = new Set<string>()
  for (const target of targets) {
    for (let position = 0; position <= ticks.length; position++) {
      seen.add(`${target ?? 'any'}: ${await interrupt(ticks, position, target)}`)
    }
  }
  const nodes = (id: Id): string[] => Object.keys(graphOf(0)).map((node) => `${id} ${node}`)
  expect([...seen].toSorted()).toEqual(
    [
      ...['nothing', ...nodes('one'), ...nodes('two')].map((hit) => `any: ${hit}`),
      ...['nothing', ...nodes('one')].map((hit) => `one: ${hit}`),
      ...['nothing', ...nodes('two')].map((hit) => `two: ${hit}`),
      'three: nothing',
    ].toSorted(),
  )
})
