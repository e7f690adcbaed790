// What the inspector reads beside the page: the clock, the journal as it grows, and one entry in full.

import { failing, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { exchange } from '../../judge/wire.ts'
import { withFaults } from '../../support/faults.ts'

type Line = {
  readonly input: Readonly<Record<string, unknown>>
  readonly effects: readonly Readonly<Record<string, unknown>>[]
}

/** The journal from an entry on: the number of the first entry, and the entries. */
async function journalOf({ url }: { readonly url: string }, query = '') {
  const { status, body } = await exchange(url, 'GET', `/_flowdouble/journal${query}`)
  if (status !== 200) return { status, first: NaN, entries: [] as readonly Line[] }
  const [head = '', ...lines] = body.trimEnd().split('\n')
  const { first } = JSON.parse(head) as { readonly first: number }
  return { status, first, entries: lines.map((line) => JSON.parse(line) as Line) }
}

/** All effects of one kind in the journal. */
const effectsOf = async (subject: Subject, kind: string) =>
  (await journalOf(subject)).entries.flatMap(({ effects }) =>
    effects.filter((one) => one['kind'] === kind),
  )

proves(
  'inspector/clock',
  async (subject) => {
    const { emulator, url } = subject
    const clock = async () => JSON.parse((await exchange(url, 'GET', '/_flowdouble/clock')).body)
    const timeMs = Number(emulator!.options.epoch)
    expect(await clock()).toEqual({ clock: 'manual', nowMs: 0, timeMs, nextMs: null })
    await emulator!.advance(7)
    await subject.submit(solid())
    const { nextMs, ...now } = await clock()
    expect(now).toEqual({ clock: 'manual', nowMs: 7, timeMs: timeMs + 7 })
    await emulator!.until('next')
    expect((await clock()).nowMs).toBe(nextMs)
  },
  ownWorld,
)

proves(
  'inspector/journal-from',
  async (subject) => {
    await subject.get('/queue')
    await subject.get('/history')
    const whole = await journalOf(subject)
    expect({ first: whole.first, count: whole.entries.length }).toEqual({ first: 0, count: 2 })
    expect(await journalOf(subject, '?from=1')).toMatchObject({
      first: 1,
      entries: whole.entries.slice(1),
    })
    expect(await journalOf(subject, '?from=2&waitMs=0')).toMatchObject({ first: 2, entries: [] })
    const waiting = journalOf(subject, '?from=2&waitMs=30000')
    await subject.get('/prompt')
    const { first, entries } = await waiting
    expect(first).toBe(2)
    expect(entries.map(({ input }) => input['target'])).toEqual([
      expect.stringMatching(/\/prompt$/),
    ])
    for (const wrong of ['?from=x', '?from=-1', '?waitMs=soon'])
      expect((await journalOf(subject, wrong)).status).toBe(400)
  },
  ownWorld,
)

/** So many entries fill the journal, so that its beginning is gone. */
const FULL = 1000

proves(
  'inspector/journal-earlier',
  async (subject) => {
    const { get, submit, idle, connect, url } = subject
    await connect('me')
    await submit({ '1': { class_type: 'NoSuchNode', inputs: {} } })
    await submit(solid())
    const failed = (await submit(failing('ValueError', 'made to fail'))).json().prompt_id
    await idle()
    const waits = (await submit(solid())).json().prompt_id
    await Promise.all(Array.from({ length: FULL }, () => get('/queue')))
    const text = (await exchange(url, 'GET', '/_flowdouble/journal')).body
    const { first, earlier } = JSON.parse(text.split('\n', 1)[0] ?? '')
    expect(first).toBeGreaterThan(0)
    expect(earlier).toMatchObject({
      requests: 4 + FULL,
      runs: 3,
      places: { [failed]: 2, [waits]: 3 },
    })
    const entries: readonly (Line & { readonly n: number })[] = earlier.entries
    expect(entries.map(({ n }) => n)).toEqual(entries.map(({ n }) => n).toSorted((a, b) => a - b))
    expect(entries.every(({ n }) => n < first)).toBe(true)
    const has = (member: object): boolean =>
      entries.some(({ input, effects }) =>
        [input, ...effects].some((one) =>
          Object.entries(member).every(([name, value]) => one[name] === value),
        ),
      )
    expect([
      has({ kind: 'open', socket: 1 }),
      has({ kind: 'reply', status: 400 }),
      has({ kind: 'node', prompt_id: failed, state: 'error', error: 'ValueError: made to fail' }),
      has({ kind: 'run', prompt_id: failed, state: 'error' }),
    ]).toEqual([true, true, true, true])
    // Nothing is missing from an entry on that is kept, and a reset begins anew.
    const head = async (query: string) =>
      JSON.parse(
        (await exchange(url, 'GET', `/_flowdouble/journal${query}`)).body.split('\n', 1)[0] ?? '',
      )
    expect(await head(`?from=${first}`)).not.toHaveProperty('earlier')
    await subject.emulator!.reset()
    expect((await head('')).earlier).toMatchObject({ runs: 0, entries: [] })
  },
  ownWorld,
)

proves(
  'inspector/explain',
  async (subject) => {
    await subject.connect('me')
    await subject.submit({ '1': { class_type: 'NoSuchNode', inputs: {} } })
    await subject.submit(solid(), { client_id: 'me' })
    await subject.idle()
    const { entries } = await journalOf(subject)
    const explain = async (at: number | string) => {
      const { status, body } = await exchange(subject.url, 'GET', `/_flowdouble/explain/${at}`)
      return { status, ...JSON.parse(body) }
    }
    const refused = entries.findIndex(({ effects }) => effects.some(({ status }) => status === 400))
    const why = await explain(refused)
    expect(why).toMatchObject({ status: 200, entry: refused, effects: ['reply 400'] })
    expect(why.rules.map(({ id }: { id: string }) => id)).toContain('workflows/unknown-class')
    const end = entries.findIndex(({ effects }) =>
      effects.some(({ kind, state }) => kind === 'run' && state === 'success'),
    )
    const causes: readonly { readonly because: string }[] = (await explain(end)).causes
    expect(causes.map(({ because }) => because.replace(/ [\w-]{30,}$/, ''))).toEqual(
      expect.arrayContaining(['starts the run', 'submits the run', 'opens socket 1']),
    )
    expect(await explain(entries.length)).toMatchObject({ status: 404 })
    expect(await explain('x')).toMatchObject({ status: 404 })
  },
  ownWorld,
)

proves('inspector/gateway-explain', async ({ post, url, idle }) => {
  await post('hook', { a: 1 })
  await idle()
  const { body } = await exchange(url, 'GET', '/_flowdouble/explain/0')
  expect(JSON.parse(body)).toMatchObject({
    entry: 0,
    effects: expect.arrayContaining(['reply 202']),
  })
})

proves(
  'inspector/pictures',
  async (subject) => {
    const session = await subject.connect('me')
    await subject.submit(textToImage(1, 2), { client_id: 'me' })
    await subject.idle()
    await session.settled()
    const { entries } = await journalOf(subject)
    const places = entries.flatMap(({ effects }, entry) =>
      effects.flatMap(({ kind, content }, at) =>
        kind === 'frame' && (content as { frame: string }).frame !== 'text' ? `${entry}.${at}` : [],
      ),
    )
    expect(places.length).toBe(2)
    const sent = session.frames()
    for (const [index, place] of places.entries()) {
      const reply = await fetch(`${subject.url}/_flowdouble/pictures/${place}`)
      expect(reply.headers.get('content-type')).toBe('image/jpeg')
      const bytes = new Uint8Array(await reply.arrayBuffer())
      expect(bytes).toEqual(new Uint8Array(sent[index]!.fields['image'] as Uint8Array))
    }
    for (const wrong of ['0.0', '9999.0', 'x', '1', `${places[0]}.1.x`.replace(/^\d+/, '8888')])
      expect((await fetch(`${subject.url}/_flowdouble/pictures/${wrong}`)).status).toBe(404)
  },
  { ...ownWorld, preview: 'jpeg' },
)

proves(
  'inspector/nodes',
  async (subject) => {
    const first = await subject.submit(textToImage(1, 2))
    await subject.idle()
    const second = await subject.submit(textToImage(2, 2))
    await subject.idle()
    const nodes = await effectsOf(subject, 'node')
    const statesOf = (run: string) => {
      const states: Record<string, string> = {}
      for (const { prompt_id, node_id, state } of nodes)
        if (prompt_id === run)
          states[String(node_id)] = `${states[String(node_id)] ?? ''} ${String(state)}`.trim()
      return Object.values(states)
    }
    expect(new Set(statesOf(first.json().prompt_id))).toEqual(new Set(['started success']))
    const third = await subject.submit(failing('ValueError', 'made to fail'))
    await subject.idle()
    const failed = (await effectsOf(subject, 'node')).at(-1)
    const { prompt_id } = third.json()
    expect(failed).toMatchObject({ prompt_id, state: 'error', error: 'ValueError: made to fail' })
    expect(new Set(statesOf(second.json().prompt_id))).toEqual(
      new Set(['cached', 'started success']),
    )
  },
  ownWorld,
)

proves(
  'inspector/lost',
  async (subject) => {
    const session = await subject.connect('me')
    await subject.submit(solid(), { client_id: 'me' })
    await subject.idle()
    await session.settled()
    const [lost, ...others] = await effectsOf(subject, 'lost')
    expect(others).toEqual([])
    expect(lost).toMatchObject({ message: { kind: 'send', sockets: [1] } })
    expect((lost!['message'] as { text: string }).text).toContain('"execution_success"')
    expect(session.messages().some(({ type }) => type === 'execution_success')).toBe(false)
  },
  withFaults({ when: { message: 'execution_success' }, then: { skip: true } }),
)
