// Senders of posts to gateways that are killed: some post again what got no answer, and some do not.

import { setTimeout as pause } from 'node:timers/promises'
import { sendTo, signed } from '../../judge/gateway-subject.ts'
import type { Events } from './outside.ts'

/** What senders know of their posts. Ids have the form ROUTE/ID. */
export type Sent = {
  /** Those that a gateway has accepted. */
  readonly accepted: Set<string>
  /** Those of senders that do not repeat, whose answer never came. */
  readonly unanswered: Set<string>
  /** Accepted ones that a gateway took for new when they came again. */
  readonly forgotten: string[]
  /** Answers that no sender expects. */
  readonly surprises: string[]
  posts: number
  /** How many of them were accepted ones again. */
  again: number
  /** How many of those were refused for now. */
  refused: number
}

export const createSent = (): Sent => ({
  accepted: new Set(),
  unanswered: new Set(),
  forgotten: [],
  surprises: [],
  posts: 0,
  again: 0,
  refused: 0,
})

type Answered = { readonly status: number; readonly word: unknown; readonly said: unknown }

export type SenderOptions = {
  readonly name: string
  readonly repeats: boolean
  readonly random: () => number
  readonly events: Events
  /** The address of a gateway that lives, as soon as there is one. */
  readonly address: () => Promise<string>
  readonly isOver: () => boolean
}

/** When a sender comes again whose post was refused for now, in milliseconds. */
const REFUSED_MS = 100

/** How much longer one post in ten is than the others. */
const LONG = 20_000

async function post(
  { events, address, random }: SenderOptions,
  sent: Sent,
  name: string,
): Promise<Answered | undefined> {
  const [route = '', id = ''] = name.split('/')
  const url = await address()
  const body = JSON.stringify({ text: id, more: random() < 0.1 ? 'x'.repeat(LONG) : '' })
  sent.posts++
  events.happen()
  try {
    const reply = await sendTo(url)('POST', `/webhooks/${route}`, body, {
      ...signed(body),
      'X-Request-ID': id,
    })
    return { status: reply.status, word: reply.json().status, said: reply.json() }
  } catch {
    return undefined
  } finally {
    events.happen()
  }
}

/** Posts until it is over, each post to the end. */
export async function sendUntilOver(options: SenderOptions, sent: Sent): Promise<void> {
  const { name, repeats, random, isOver } = options
  for (let count = 0; !isOver(); count++) {
    const id = `${random() < 0.6 ? 'run' : 'direct'}/${name}-${count}`
    for (;;) {
      const answer = await post(options, sent, id)
      // A gateway that another one keeps from delivering says when to come again.
      const isAnswered = answer !== undefined && answer.status !== 503
      if (isAnswered) note(sent, id, answer)
      else if (!repeats) sent.unanswered.add(id)
      if (isAnswered || !repeats) break
      if (answer !== undefined) await pause(REFUSED_MS)
    }
    if (random() < 0.3) await sendAgain(options, sent)
  }
}

function note({ accepted, surprises }: Sent, id: string, { status, word, said }: Answered): void {
  if (word === 'accepted' || word === 'delivered' || word === 'duplicate') accepted.add(id)
  else surprises.push(`${id}: ${status} ${String(word)} ${JSON.stringify(said)}`)
}

/** Posts one of the accepted ones again. */
async function sendAgain(options: SenderOptions, sent: Sent): Promise<void> {
  const all = [...sent.accepted]
  const id = all[Math.floor(options.random() * all.length)]
  if (id !== undefined) await check(options, sent, id)
}

/** Resolves to whether it is judged: 503 and no answer only say to come again. */
async function check(options: SenderOptions, sent: Sent, id: string): Promise<boolean> {
  const answer = await post(options, sent, id)
  if (answer === undefined) return false
  if (answer.status === 503) {
    sent.refused++
    await pause(REFUSED_MS)
    return false
  }
  sent.again++
  if (answer.word !== 'duplicate')
    sent.forgotten.push(`${id}: ${answer.status} ${String(answer.word)}`)
  return true
}

/** Posts all accepted ones again, to gateways that are not killed any more. */
export async function sendAllAgain(options: SenderOptions, sent: Sent): Promise<void> {
  for (const id of sent.accepted) while (!(await check(options, sent, id)));
}
