// What holds for every sequence of requests of two accounts: nothing of one ever reaches the other.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Session } from '../judge/client.ts'
import { viewPath } from '../generate/form.ts'
import { failing, type Graph, node, slow, solid, talking } from '../generate/graphs.ts'
import { startSubject, type Subject } from '../judge/subject.ts'
import { assertSessions } from '../support/kept-sessions.ts'
import type { Reply } from '../judge/reply.ts'

const names = ['alder', 'birch'] as const
type Name = (typeof names)[number]

/** One account: everything that it sends carries its name, and it receives only its own ids. */
type Side = {
  readonly name: Name
  readonly subject: Subject
  readonly ids: string[]
  readonly sessions: Session[]
  /** Names of its uploads, as the server gave them. */
  readonly files: string[]
  texts: number
}

const sidesOf = (subject: Subject): [Side, Side] =>
  names.map((name): Side => {
    const own = subject.as(`key-of-${name}`)
    return { name, subject: own, ids: [], sessions: [], files: [], texts: 0 }
  }) as [Side, Side]

const accounts = names.map((user) => ({
  user,
  keys: [`key-of-${user}`],
  tier: 'creator' as const,
  balance: 100,
  subscription: 'active' as const,
  partnerKey: `partner-${user}`,
  failsWith: null,
}))

/** A workflow of one kind, whose texts name its account. */
function graphOf({ name, texts }: Side, kind: number): Graph {
  const text = `${name} ${texts}`
  const bought = node('OpenAIDalle3', { prompt: text })
  const kinds: readonly Graph[] = [
    talking(text),
    solid(0, name),
    { ...slow(0.1, 3), [name]: talking(text)['1']! },
    failing('OOMError', text),
    { '1': bought, '2': node('PreviewImage', { images: ['1', 0] }) },
    { '1': node('FlowdoubleNotify', { value: text }) },
  ]
  return kinds[kind % kinds.length] as Graph
}

type Command =
  | { readonly does: 'submit'; readonly kind: number }
  | { readonly does: 'advance'; readonly ms: number }
  | { readonly does: 'connect' | 'clear' | 'interrupt' | 'upload' | 'keep' }
  | { readonly does: 'name'; readonly where: number; readonly whose: number; readonly at: number }

/** Requests of an account with the id of a run, which may be that of the other. */
const named: readonly ((subject: Subject, id: string) => Promise<Reply>)[] = [
  ({ post }, id) => post('/queue', { delete: [id] }),
  ({ post }, id) => post('/interrupt', { prompt_id: id }),
  ({ post }, id) => post('/history', { delete: [id] }),
  ({ get }, id) => get(`/history/${id}`),
  ({ get }, id) => get(`/jobs/${id}`),
  ({ get }, id) => get(`/job/${id}/status`),
  ({ post }, id) => post(`/jobs/${id}/cancel`, {}),
  ({ request }, id) => request('DELETE', `/jobs/${id}`),
  ({ post }, id) => post('/jobs/cancel', { job_ids: [id] }),
]

const json = { 'Content-Type': 'application/json' }

async function act(side: Side, other: Side, command: Command): Promise<readonly Reply[]> {
  const { subject, name } = side
  side.texts++
  switch (command.does) {
    case 'submit': {
      const extra_data = { api_key_comfy_org: `partner-${name}`, extra_pnginfo: { name } }
      const graph = graphOf(side, command.kind)
      const reply = await subject.submit(graph, { extra_data, client_id: name, prompt_id: 'same' })
      expect(reply.status).toBe(200)
      side.ids.push(reply.json().prompt_id)
      return [reply]
    }
    case 'advance':
      await subject.emulator?.advance(command.ms)
      return []
    case 'connect':
      side.sessions.push(await subject.connect(name))
      return []
    case 'clear':
      return [await subject.post('/queue', { clear: true })]
    case 'interrupt':
      return [await subject.post('/interrupt', {})]
    case 'upload': {
      const file = { name: `${name}.png`, bytes: Buffer.from(`file of ${name} ${side.texts}`) }
      const reply = await subject.upload(file)
      if (reply.status === 200) side.files.push(reply.json().name)
      return [reply]
    }
    case 'keep':
      return [
        await subject.request('POST', `/userdata/${name}.json`, `{"of": "${name}"}`, json),
        await subject.post(`/settings/${name}`, name),
      ]
    case 'name': {
      const ids = command.whose % 2 === 0 ? other.ids : side.ids
      const id = ids[command.at % Math.max(1, ids.length)]
      const ask = named[command.where % named.length]
      return id === undefined || ask === undefined ? [] : [await ask(subject, id)]
    }
  }
}

/** Everything that an account can read about itself, and about the other if it knows the names. */
async function readAll({ subject }: Side, other: Side): Promise<readonly Reply[]> {
  const paths = [
    '/queue',
    '/prompt',
    '/history',
    '/jobs',
    '/features',
    '/object_info/LoadImage',
    '/settings',
    '/userdata?dir=&recurse=true',
    `/userdata/${other.name}.json`,
    `/settings/${other.name}`,
    ...other.ids.flatMap((id) => [`/history/${id}`, `/jobs/${id}`, `/job/${id}/status`]),
    ...other.files.map((filename) => viewPath({ filename, type: 'input' })),
    viewPath({ filename: `${other.name}_00001_.png`, type: 'output' }),
  ]
  const replies: Reply[] = []
  for (const path of paths) replies.push(await subject.get(path))
  return replies
}

/** Everything that arrived on the sockets of an account, as text. */
async function receivedBy({ sessions }: Side): Promise<string> {
  await Promise.all(sessions.map((session) => session.settled()))
  const bytes = sessions.flatMap(({ rawFrames }) => rawFrames)
  const frames = bytes.map((frame) => Buffer.from(frame).toString('latin1'))
  return [...sessions.flatMap(({ texts }) => texts), ...frames].join('\n')
}

/** Answers to an account, and messages on its sockets, never contain a name or an id of the other. */
async function judge(side: Side, other: Side, replies: readonly Reply[]): Promise<void> {
  const received = replies.map(
    ({ headers, bytes }) => JSON.stringify(headers) + bytes.toString('latin1'),
  )
  const all = [...received, await receivedBy(side)].join('\n')
  const leaks = [other.name, ...other.ids].filter((word) => all.includes(word))
  expect({ account: side.name, leaks }).toEqual({ account: side.name, leaks: [] })
}

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('submit' as const), kind: fc.nat(5) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('advance' as const),
      ms: fc.constantFrom(5, 25, 30, 60, 200),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('name' as const),
      where: fc.nat(named.length - 1),
      whose: fc.nat(1),
      at: fc.nat(9),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom('connect', 'connect', 'clear', 'interrupt', 'upload', 'keep'),
    }),
  },
)
const actions = fc.array(fc.tuple(fc.nat(1), command), {
  minLength: 10,
  maxLength: 30,
  size: 'max',
})

type Step = { readonly who: number; readonly one: Command }

test('accounts/apart Nothing of one account ever reaches another.', async () => {
  let ended = 0
  const play = async (session: readonly Step[], subject: Subject): Promise<void> => {
    const sides = sidesOf(subject)
    for (const side of sides) side.sessions.push(await side.subject.connect(side.name))
    for (const { who, one } of session) {
      const [side, other] = who === 0 ? sides : [sides[1], sides[0]]
      await judge(side, other, await act(side, other, one))
      await judge(other, side, [])
    }
    await subject.idle()
    for (const [side, other] of [sides, sides.toReversed() as [Side, Side]]) {
      await judge(side, other, await readAll(side, other))
      // It received everything about its runs, whatever the other did.
      const messages = side.sessions[0]?.messages() ?? []
      const over = new Set(
        messages.flatMap(({ type, data }) =>
          /success|error/.test(type) ? [data['prompt_id']] : [],
        ),
      )
      for (const id of over) expect(side.ids).toContain(id)
      ended += over.size
    }
    expect(new Set(sides.flatMap(({ ids }) => ids)).size).toBe(
      sides.reduce((sum, { ids }) => sum + ids.length, 0),
    )
  }
  await assertSessions(
    {
      title: 'accounts/apart',
      sessions: actions.map((all) => all.map(([who, one]) => ({ who, one }))),
      start: () => startSubject({ deployment: 'hosted', accounts }),
      play,
    },
    { seed: 20261121, numRuns: 8 },
  )
  expect(ended).toBeGreaterThan(20)
})

test('accounts/unmoved The actions of one account change nothing that the other receives.', async () => {
  /** What an account receives when it plays its own actions, with or without those of the other. */
  const playedBy = async (
    played: readonly (readonly [who: number, one: Command])[],
    alone: boolean,
  ): Promise<string> => {
    const subject = await startSubject({ deployment: 'hosted', accounts })
    try {
      const sides = sidesOf(subject)
      const [side, other] = sides
      side.sessions.push(await side.subject.connect(side.name))
      const received: string[] = []
      for (const [who, one] of played) {
        if (one.does === 'name' && who === 0 && one.whose % 2 === 0) continue
        if (who !== 0 && alone && one.does !== 'advance') continue
        const replies = who === 0 ? await act(side, other, one) : await act(other, side, one)
        if (who === 0) received.push(...replies.map(({ status, text }) => `${status} ${text}`))
      }
      await subject.idle()
      for (const path of ['/queue', '/history', '/jobs', '/prompt'])
        received.push((await side.subject.get(path)).text)
      return [...received, await receivedBy(side)].join('\n')
    } finally {
      await subject.close()
    }
  }
  const property = fc.asyncProperty(actions, async (played) => {
    expect(await playedBy(played, false)).toBe(await playedBy(played, true))
  })
  await fc.assert(property, { seed: 20261122, numRuns: 10 })
})
