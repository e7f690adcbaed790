// Makes sessions: the same seed makes the same session. Each plays all episodes once, in a random order.

import { createRandom, type Random } from './random.ts'
import type { Client, Session, Step, Work } from './steps.ts'

/** Makes the steps of a submit, whose run has the next number. */
type Submit = (
  client: Client | null,
  work: Work,
  variant?: number,
) => Step & { readonly run: number }
type Episode = (random: Random, submit: Submit) => readonly Step[]

const rest: Step = { do: 'rest' }
const look: Step = { do: 'look' }
const clients = ['a', 'b'] as const
const other = (client: Client): Client => (client === 'a' ? 'b' : 'a')
/** Variants of work that several episodes share; those that `submit` chooses are new. */
const anyOf = (random: Random): number => 900 + random.below(3)

/** One run after the other: some are new, others the same again. */
const row: Episode = ({ pick }, submit) => {
  const client = pick(clients)
  const work = pick(['talk', 'pair', 'preview'] as const)
  return [1, 1, 2, 2, 2].flatMap((variant) => [submit(client, work, variant), rest])
}

/** Many submits in a row, by both clients. */
const burst: Episode = (random, submit) => {
  const many = Array.from({ length: 6 }, (_, at) =>
    submit(clients[at % 2] as Client, random.pick(['talk', 'pair', 'preview']), anyOf(random)),
  )
  return [...many, look, rest]
}

/** A slow run; others that wait behind it, some of which are deleted; an interrupt. */
const blocked: Episode = ({ pick, shuffled }, submit) => {
  const client = pick(clients)
  const slow = submit(client, 'slow')
  const waiting = [client, other(client), other(client), client].map((one) => submit(one, 'talk'))
  const [first, second] = shuffled(waiting.map(({ run }) => run)) as [number, number]
  return [
    slow,
    { do: 'begin', run: slow.run },
    ...waiting,
    look,
    { do: 'delete', runs: pick([[first], [first, second]]) },
    look,
    { do: 'interrupt', run: slow.run },
    rest,
  ]
}

/** A client that connects again, between its runs. */
const again: Episode = ({ pick }, submit) => {
  const client = pick(clients)
  const connect: Step = { do: 'connect', client, ...(pick([true, false]) && { keepsOld: true }) }
  return [
    submit(client, 'talk'),
    rest,
    connect,
    submit(client, 'pair'),
    submit(other(client), 'talk'),
    rest,
  ]
}

/** A client that connects again while its run is at work. */
const during: Episode = ({ pick }, submit) => {
  const client = pick(clients)
  const slow = submit(client, 'slow')
  return [
    slow,
    { do: 'begin', run: slow.run },
    { do: 'connect', client },
    { do: 'interrupt', run: slow.run },
    rest,
    submit(client, 'talk'),
    rest,
  ]
}

/** A client that leaves while its run waits, and comes back. */
const away: Episode = ({ pick }, submit) => {
  const client = pick(clients)
  return [
    submit(client, 'talk'),
    { do: 'disconnect', client },
    submit(other(client), 'preview'),
    rest,
    { do: 'connect', client },
    submit(client, 'talk'),
    rest,
  ]
}

/** A long text, and a graph of many nodes. */
const large: Episode = ({ pick }, submit) => [
  submit(pick(clients), 'large'),
  submit(pick(clients), 'many'),
  rest,
]

/** Graphs of which only a part runs, or none. */
const parts: Episode = ({ pick, shuffled }, submit) => [
  ...shuffled(
    (['part', 'half', 'invalid', 'unknown', 'part', 'talk'] as const).map((work) =>
      submit(pick(clients), work),
    ),
  ),
  rest,
]

/** Files: saved ones, the same again, and an upload. */
const files: Episode = ({ pick, below }, submit) => [
  submit(pick(clients), 'picture', 1),
  rest,
  submit(pick(clients), 'picture', 1),
  rest,
  submit(pick(clients), 'picture'),
  { do: 'upload', bytes: 1 + below(200_000) },
  rest,
]

/** A run that fails, and those around it. */
const failed: Episode = ({ pick }, submit) => [
  submit(pick(clients), 'talk'),
  submit(pick(clients), 'fail'),
  submit(pick(clients), 'talk'),
  rest,
]

/** A run of nobody. */
const nobody: Episode = ({ pick }, submit) => [
  submit(null, 'talk'),
  submit(pick(clients), 'talk'),
  rest,
]

const episodes = [row, burst, blocked, again, during, away, large, parts, files, failed, nobody]

/** The session of a seed. */
export function sessionOf(seed: number): Session {
  const random = createRandom(seed)
  let runs = 0
  const submit: Submit = (client, work, variant) => {
    const run = runs++
    return { do: 'submit', run, client, work, variant: variant ?? 1000 + run }
  }
  return [
    { do: 'connect', client: 'a' },
    { do: 'connect', client: 'b' },
    ...random.shuffled(episodes).flatMap((episode) => episode(random, submit)),
    submit('a', 'talk'),
    submit('b', 'talk'),
    rest,
    look,
  ]
}
