// Kills real gateways at random moments while they work, starts them again on the same store, and counts what was lost
// or came twice.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { SECRET } from '../../judge/gateway-subject.ts'
import { enabled } from '../command-line.ts'
import { folder } from '../folder.ts'
import { type Command, start } from '../spawned.ts'
import { type Arrival, createEvents, randomOf, startOutside } from './outside.ts'
import { createSent, sendAllAgain, type SenderOptions, sendUntilOver } from './senders.ts'

/** What a store lists of a run, or of the id of a direct delivery. */
export type Kept = { readonly route: string; readonly id: string; readonly state: string }

export type KillPlan = {
  readonly seed: number
  readonly kills: number
  /** The commands that run at the same time, a receiver first. */
  readonly processes: readonly ('run' | 'work')[]
  /** After how many kills everything is delivered once, before the next ones. */
  readonly settleAfter: number
  /** Further flags of each gateway. */
  readonly flags: readonly string[]
  /** What is in the store at this moment: of runs, and of ids of direct deliveries that are confirmed. */
  readonly look: (dir: string) => Promise<readonly Kept[]>
  /** Happens in place of some kills. */
  readonly cut?: () => Promise<void>
}

export type Counted = {
  readonly posts: number
  readonly accepted: number
  readonly unanswered: number
  readonly again: number
  /** How many of those were refused for now, which takes a database that fails. */
  readonly refused: number
  /** Deliveries that came again after a kill. */
  readonly repeats: number
  readonly lost: readonly string[]
  readonly confirmedRepeats: readonly string[]
  /** Deliveries that came again without a kill in between. */
  readonly needlessRepeats: readonly string[]
  readonly forgotten: readonly string[]
  readonly surprises: readonly string[]
}

const settings = enabled(
  'rate_limit: 10000000',
  'routes:',
  ...['run', 'direct'].map(
    (name) =>
      `  ${name}: {secret: ${SECRET}, prompt: '{text}', deliver: telegram, deliver_only: ${name === 'direct'}, deliver_extra: {chat_id: '42'}}`,
  ),
)

/** A process of a gateway. */
type Life = {
  readonly does: 'run' | 'work'
  readonly command: Command
  readonly url: Promise<string>
  isKilled: boolean
}

/** After how many events a gateway is killed at the latest. */
const MAX_EVENTS = 40
/** How often it is killed as soon as it listens. */
const AT_START = 0.1
/** How often the connections of the database are cut in place of a kill. */
const CUT = 0.2

export async function countKills(plan: KillPlan): Promise<Counted> {
  const dir = join(folder(), 'home')
  mkdirSync(dir)
  writeFileSync(join(dir, 'config.yaml'), settings, { mode: 0o600 })
  const events = createEvents()
  const random = randomOf(plan.seed)
  const lives: Life[] = []
  const arrivals = new Map<string, Arrival[]>()
  const confirmed = new Set<string>()
  const confirmedRepeats: string[] = []
  const needlessRepeats: string[] = []
  const arrive = (arrival: Arrival): void => {
    const { route, id, life } = arrival
    const name = `${route}/${id}`
    const before = arrivals.get(name) ?? []
    if (confirmed.has(name)) confirmedRepeats.push(name)
    const [last] = before.slice(-1)
    if (last !== undefined && lives[last.life]?.isKilled !== true)
      needlessRepeats.push(`${name} by ${last.life} and ${life}`)
    if (route === 'run' && last !== undefined && last.key !== arrival.key)
      needlessRepeats.push(`${name} with another key`)
    arrivals.set(name, [...before, arrival])
  }
  const outside = await startOutside(randomOf(plan.seed + 1), events, arrive)
  const begin = (does: Life['does']): Life => {
    const command = start(
      'gateway',
      does,
      '--config-dir',
      dir,
      '--port',
      '0',
      '--json',
      '--quiet',
      ...outside.flags(lives.length),
      ...plan.flags,
    )
    const url = command.says(/\n/).then((line) => (JSON.parse(line) as { url: string }).url)
    url.then(events.happen, () => undefined)
    const life = { does, command, url, isKilled: false }
    lives.push(life)
    return life
  }
  onTestFinished(() => {
    for (const { command } of lives) command.process.kill('SIGKILL')
  })
  let now = plan.processes.map(begin)
  let going = Promise.resolve()
  const address = async (): Promise<string> => {
    await going
    const receivers = now.filter(({ does }) => does === 'run')
    const life = receivers[Math.floor(random() * receivers.length)] as Life
    // The next one listens soon where this one is killed before it does.
    return life.url.catch(() => events.after(1).then(address))
  }
  const note = async (): Promise<void> => {
    for (const { route, id, state } of await plan.look(dir))
      if (state === 'delivered') confirmed.add(`${route}/${id}`)
  }
  /** Starts a gateway again that has ended because its database was cut off as it started. */
  const revive = async (at: number): Promise<void> => {
    const { url, does } = now[at] as Life
    try {
      await url
    } catch (error) {
      if (plan.cut === undefined) throw error
      now = now.with(at, begin(does))
      await revive(at)
    }
  }
  const kill = async (): Promise<void> => {
    const at = Math.floor(random() * now.length)
    await revive(at)
    const life = now[at] as Life
    if (random() >= AT_START) await events.after(1 + Math.floor(random() * MAX_EVENTS))
    life.isKilled = true
    life.command.process.kill('SIGKILL')
    await life.command.ends
    await note()
    now = now.with(at, begin(life.does))
  }

  const sent = createSent()
  /** Holds the senders until everything that they know to be accepted is delivered. */
  const settle = async (): Promise<void> => {
    let goOn = (): void => undefined
    going = new Promise((resolve) => (goOn = resolve))
    outside.release()
    await events.until(() => [...sent.accepted].every((name) => arrivals.has(name)))
    outside.hold()
    goOn()
  }
  let isOver = false
  const senders = [true, true, false, false].map((repeats, at): SenderOptions => ({
    name: `s${at}`,
    repeats,
    random: randomOf(plan.seed + 2 + at),
    events,
    address,
    isOver: () => isOver,
  }))
  const sending = senders.map((options) => sendUntilOver(options, sent))
  for (let count = 0; count < plan.kills;) {
    if (plan.cut !== undefined && random() < CUT) await plan.cut()
    else {
      await kill()
      if (++count % plan.settleAfter === 0 && count < plan.kills) await settle()
    }
  }
  isOver = true
  outside.release()
  for (const at of now.keys()) await revive(at)
  await Promise.all(sending)
  await events.until(() => [...sent.accepted].every((name) => arrivals.has(name)))
  await sendAllAgain(senders[0] as SenderOptions, sent)
  for (const { command } of now) expect((await command.stop()).code).toBe(0)
  const kept = new Map((await plan.look(dir)).map((one) => [`${one.route}/${one.id}`, one.state]))
  const lost = [...sent.accepted].filter(
    (name) => !arrivals.has(name) || kept.get(name) !== 'delivered',
  )
  const repeats = [...arrivals.values()].reduce((sum, all) => sum + all.length - 1, 0)
  return {
    posts: sent.posts,
    accepted: sent.accepted.size,
    unanswered: sent.unanswered.size,
    again: sent.again,
    refused: sent.refused,
    repeats,
    lost,
    confirmedRepeats,
    needlessRepeats,
    forgotten: sent.forgotten,
    surprises: sent.surprises,
  }
}
