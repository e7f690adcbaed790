// An interrupt at every moment of two runs: it ends the run that the rules name, and the other run continues.

import { describe, expect, test } from 'vitest'
import { both, type Deployment } from '../../spec/language.ts'
import type { Session } from '../judge/client.ts'
import { type Graph, node } from '../generate/graphs.ts'
import { isOf, nobody, oneAtATimeOn } from '../judge/hosted/jobs.ts'
import { judgeOrder, type Message } from '../judge/judge.ts'
import { endsRun } from '../judge/responses.ts'
import { startSubject, type Subject } from '../judge/subject.ts'

/** A node of two steps, one that changes its picture, and an output. */
const graphOf = (seed: number): Graph => ({
  paint: node('FlowdoublePreviews', { width: 16, height: 16, steps: 2, seed }),
  turn: node('ImageInvert', { image: ['paint', 0] }),
  save: node('SaveImage', { images: ['turn', 0], filename_prefix: `picture ${seed}` }),
})
const runs = ['one', 'two'] as const
type Name = (typeof runs)[number]
/** The target of an interrupt. */
const targets = [undefined, 'one', 'two', 'three'] as const
type Target = (typeof targets)[number]

/** Both runs as they proceed, one at a time. */
type Stage = {
  readonly subject: Subject
  readonly session: Session
  readonly ids: Readonly<Record<Name, string>>
}

/** Submits both runs, calls the body, and closes. */
async function withRuns(deployment: Deployment, body: (stage: Stage) => Promise<void>) {
  const subject = await startSubject(oneAtATimeOn(deployment))
  try {
    const session = await subject.connect('me')
    const idOf = async (seed: number): Promise<string> =>
      (await subject.submit(graphOf(seed), { client_id: 'me' })).json().prompt_id
    await body({ subject, session, ids: { one: await idOf(0), two: await idOf(1) } })
  } finally {
    await subject.close()
  }
}

/** A message with the name of its run. */
type ReceivedMessage = Message & { readonly of: Name | undefined }

/** Fires the next due event, and returns the messages that it sends. */
async function tick({ subject, session, ids }: Stage): Promise<readonly ReceivedMessage[]> {
  await session.settled()
  const before = session.messages().length
  await subject.emulator?.until(() => true)
  await session.settled()
  return session
    .messages()
    .slice(before)
    .map(({ type, data }) => ({
      type,
      data,
      of: runs.find((name) => ids[name] === data['prompt_id']),
    }))
}

/** What happens at each due moment of both runs without an interrupt. */
type Ticks = readonly (readonly ReceivedMessage[])[]

async function watch(deployment: Deployment): Promise<Ticks> {
  const ticks: (readonly ReceivedMessage[])[] = []
  const isOver = (): boolean => ticks.flat().filter(endsRun(deployment)).length === runs.length
  await withRuns(deployment, async (stage) => {
    while (!isOver()) ticks.push(await tick(stage))
  })
  return ticks
}

/** The node at which a run checks for an interrupt in these messages: one that begins, or takes a step. */
const checkedNode = (messages: readonly ReceivedMessage[], name: Name): unknown =>
  messages.find(
    ({ of, type, data }) =>
      of === name && /^(executing|progress)$/.test(type) && data['node'] !== null,
  )?.data['node']

/** The run that an interrupt ends, and the node where it does; null for a run that never began. */
type Hit = { readonly name: Name; readonly at: unknown } | undefined

/** What an interrupt after this many moments ends, by the rules of each deployment. */
const expected: Readonly<
  Record<Deployment, (ticks: Ticks, position: number, target: Target) => Hit>
> = {
  /** Only a running run can be stopped, and only where it still checks. */
  local: (ticks, position, target) => {
    const name = runningAt('local', ticks, position)
    if (name === undefined || (target ?? name) !== name) return undefined
    const at = nextCheck(ticks, position, name)
    return at === undefined ? undefined : { name, at }
  },
  /** A named run can be stopped until it has ended, at the latest after its last node. */
  hosted: (ticks, position, target) => {
    const running = runningAt('hosted', ticks, position)
    const name = target ?? running
    if (name === undefined || name === 'three') return undefined
    const before = ticks.slice(0, position).flat()
    if (before.some((one) => one.of === name && endsRun('hosted')(one))) return undefined
    if (name !== running) return { name, at: null }
    return { name, at: nextCheck(ticks, position, name) ?? 'save' }
  },
}

function runningAt(deployment: Deployment, ticks: Ticks, position: number): Name | undefined {
  const before = ticks.slice(0, position).flat()
  const name = before.findLast(({ type }) => type === 'execution_start')?.of
  const isOver = before.some((one) => one.of === name && endsRun(deployment)(one))
  return isOver ? undefined : name
}

const nextCheck = (ticks: Ticks, position: number, name: Name): unknown =>
  ticks
    .slice(position)
    .map((messages) => checkedNode(messages, name))
    .find((at) => at !== undefined)

/** Interrupts after this many moments, and compares the ends of both runs with the expected ones. */
async function interrupt(
  deployment: Deployment,
  ticks: Ticks,
  position: number,
  target: Target,
): Promise<string> {
  const hit = expected[deployment](ticks, position, target)
  await withRuns(deployment, async (stage) => {
    const { subject, session, ids } = stage
    for (let count = 0; count < position; count++) await tick(stage)
    const prompt_id = target === 'three' ? nobody : target && ids[target]
    await subject.post('/interrupt', { prompt_id })
    await subject.idle()
    await session.settled()
    expect(await subject.queue()).toEqual({ running: [], pending: [] })
    for (const name of runs) {
      const id = ids[name]
      const own = session.messages().filter(({ data }) => data['prompt_id'] === id)
      expect(judgeOrder(deployment, own)).toEqual([])
      const entry = await subject.finished(id)
      const shown = own.filter(({ type }) => type === 'executed')
      expect(entry?.outputs ?? {}).toEqual(
        Object.fromEntries(shown.map(({ data }) => [data['node'], data['output']])),
      )
      const place = { position, target, name }
      if (hit?.name !== name) {
        expect({ ...place, at: own.some(isOf('execution_success', id)) }).toEqual({
          ...place,
          at: true,
        })
        expect(entry?.outputs.save.images).toHaveLength(1)
        continue
      }
      const stopped = own.find(isOf('execution_interrupted', id))
      const at = entry === undefined ? null : stopped?.data['node_id']
      expect({ ...place, at }).toEqual({ ...place, at: hit.at })
      expect(stopped).toBeDefined()
      expect(entry?.status.messages.at(-1)?.[0]).toBe(
        entry === undefined ? undefined : 'execution_interrupted',
      )
    }
  })
  return hit === undefined ? 'nothing' : `${hit.name} ${String(hit.at)}`
}

const nodes = (name: Name): string[] => Object.keys(graphOf(0)).map((at) => `${name} ${at}`)

/** All possible ends of interrupts, by target. */
const ends: Readonly<Record<Deployment, readonly string[]>> = {
  local: [
    ...['nothing', ...nodes('one'), ...nodes('two')].map((hit) => `any: ${hit}`),
    ...['nothing', ...nodes('one')].map((hit) => `one: ${hit}`),
    ...['nothing', ...nodes('two')].map((hit) => `two: ${hit}`),
    'three: nothing',
  ],
  hosted: [
    ...['nothing', ...nodes('one'), ...nodes('two')].map((hit) => `any: ${hit}`),
    ...['nothing', 'one null', ...nodes('one')].map((hit) => `one: ${hit}`),
    ...['nothing', 'two null', ...nodes('two')].map((hit) => `two: ${hit}`),
    'three: nothing',
  ],
}

describe.each(both)('on %s', (deployment) => {
  test('interleave/interrupt An interrupt at any moment ends its target at the next check, and no other run.', async () => {
    const ticks = await watch(deployment)
    expect(ticks.length).toBeGreaterThan(10)
    const seen = new Set<string>()
    for (const target of targets) {
      for (let position = 0; position <= ticks.length; position++) {
        const hit = await interrupt(deployment, ticks, position, target)
        seen.add(`${target ?? 'any'}: ${hit}`)
      }
    }
    expect([...seen].toSorted()).toEqual(ends[deployment].toSorted())
  })
})
