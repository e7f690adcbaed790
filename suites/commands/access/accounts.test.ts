// The accounts of a hosted server: which ones are rejected, what the journal hides, and what partner nodes cost.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replay, startEmulator } from 'flowdouble'
import { bought, type Graph, node, solid } from '../../generate/graphs.ts'
import { nodeTypesText } from '../../generate/node-types.ts'
import { errorOf } from '../../judge/failures.ts'
import { proves, provesQuirk, test } from '../../judge/proves.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'
import { newIo } from '../../support/in-process.ts'
import { watchOn } from '../../support/watch.ts'
import { folder } from '../../support/folder.ts'

const objectInfo = nodeTypesText()
const open = {
  tier: 'pro',
  balance: 1000,
  subscription: 'active',
  partnerKey: null,
  failsWith: null,
} as const

/** How a start with these accounts fails: the text of the error. */
async function refusalOf(accounts: unknown): Promise<string> {
  const options = { deployment: 'hosted', accounts } as Parameters<typeof startEmulator>[0]
  return startEmulator(options).then(
    async (emulator) => {
      await emulator.close()
      return 'It started.'
    },
    (error: Error) => error.message,
  )
}

const good = { user: 'me', keys: ['SECRET-1'] }

proves('access/hosted-account-mistakes', async () => {
  expect(await refusalOf([good])).toBe('It started.')
  expect(await refusalOf([{ ...good, keys: ['SECRET-1', 'SECRET-1'] }])).toBe('It started.')
  const mistakes: readonly (readonly [accounts: unknown, says: RegExp])[] = [
    ['SECRET-1', /use a list of accounts/],
    [{ keys: ['SECRET-1'] }, /use a list of accounts/],
    [[], /at least one account/],
    [['SECRET-1'], /account 1 is not an object/],
    [[good, null], /account 2 is not an object/],
    [[{ keys: ['SECRET-1'] }], /account 1 lacks user/],
    [[{ user: 'me' }], /account 1 lacks keys/],
    [[{ ...good, user: 'SECRET 1' }], /account 1 cannot have that user/],
    [[{ ...good, keys: [] }], /account 1 cannot have that keys/],
    [[{ ...good, keys: 'SECRET-1' }], /account 1 cannot have that keys/],
    [[{ ...good, keys: ['SECRET 1'] }], /account 1 cannot have that keys/],
    [[{ ...good, keys: ['SECRET-1', 7] }], /account 1 cannot have that keys/],
    [[{ ...good, tier: 'SECRET-1' }], /account 1 cannot have that tier/],
    [[{ ...good, balance: -1 }], /account 1 cannot have that balance/],
    [[{ ...good, balance: NaN }], /account 1 cannot have that balance/],
    [[{ ...good, balance: '10' }], /account 1 cannot have that balance/],
    [[{ ...good, subscription: 'SECRET-1' }], /account 1 cannot have that subscription/],
    [[{ ...good, partnerKey: '' }], /account 1 cannot have that partnerKey/],
    [[{ ...good, partnerKey: 'SECRET\n1' }], /account 1 cannot have that partnerKey/],
    [[{ ...good, failsWith: 'ValueError' }], /account 1 cannot have that failsWith/],
    [[{ ...good, SECRET: 1 }], /account 1 has a member other than user, keys, tier/],
    [[good, { ...good, keys: ['SECRET-2'] }], /the user me appears twice/],
    [[{ ...good, partnerKey: 'SECRET-1' }], /a partner key is also an API key/],
    [
      [good, { ...good, user: 'you', keys: ['SECRET-2'], partnerKey: 'SECRET-1' }],
      /a partner key is also an API key/,
    ],
    [[good, { ...good, user: 'you' }], /two accounts have the same key/],
  ]
  for (const [accounts, says] of mistakes) {
    const text = await refusalOf(accounts)
    expect(text).toMatch(says)
    expect(text).not.toContain('SECRET')
  }
})

const keys = ['a-key-that-is-long', 'k']
/** Where the journal of the next case is stored: all of it, from the first line on. */
const journal = join(folder(), 'journal.jsonl')
const hidden = {
  accounts: [
    { ...open, user: 'me', keys, partnerKey: 'a-partner-key' },
    { ...open, user: 'you', keys: ['z'], partnerKey: 'p' },
  ],
  quirk: ['hosted.bearer'],
}

proves(
  'access/hosted-keys-hidden',
  async ({ as, raw, emulator, idle }) => {
    const sessions = []
    for (const key of [...keys, 'z']) sessions.push(await as(key).connect())
    for (const key of [...keys, 'z', 'q']) {
      const headers = { 'X-API-Key': key }
      await raw('GET', '/api/features', undefined, headers)
      await raw('GET', '/api/features', undefined, { Authorization: `Bearer ${key}` })
      await raw('GET', `/api/features?x=1&token=${key}`, undefined, headers)
      await raw('GET', `/ws?token=${key}`, undefined, {})
      await raw('GET', `/api/${keys[0]}/a-partner-key`, undefined, headers)
    }
    const me = as(keys[1] as string)
    for (const value of [...keys, 'a-partner-key']) {
      const extra_data = { api_key_partner_org: value, api_key_comfy_org: value }
      expect((await me.submit(bought(value.length.toString()), { extra_data })).status).toBe(200)
    }
    await as('z').submit(bought(), { extra_data: { api_key_comfy_org: 'p' } })
    await idle()
    const received = await Promise.all(
      sessions.map(async (session) => {
        await session.settled()
        return session.texts.join()
      }),
    )
    const replies = [await me.get('/history'), await me.get('/queue'), await me.get('/features')]
    const [header = '', ...lines] = (await emulator?.journal()) ?? []
    const { accounts } = JSON.parse(header).options
    const isHidden = expect.stringMatching(/^<(?:secret:)?[0-9a-f]{6,}>$/)
    expect(accounts).toMatchObject([
      { keys: [isHidden, isHidden], partnerKey: isHidden },
      { keys: [isHidden], partnerKey: isHidden },
    ])
    const all = [...received, ...replies.map(({ text }) => text), header, ...lines].join('\n')
    for (const secret of [keys[0], 'a-partner-key']) expect(all).not.toContain(secret)
    // A short key may be part of any word, but never a value by itself.
    for (const line of lines) {
      expect(line).not.toMatch(/"(?:Bearer )?[kzqp]"|token=[kzqp]\b|\\"[kzqp]\\"/)
    }
    const expected = { entries: lines.length, differs: null }
    expect(replay([header, ...lines].join('\n'), objectInfo)).toEqual(expected)
    const stored = readFileSync(journal, 'utf8')
    expect(stored).not.toContain('a-partner-key')
    expect(stored).not.toContain('"k"')
    expect(replay(stored, objectInfo)).toEqual(expected)
  },
  { ...hidden, journal },
)

/** Runs a partner picture that is not in the cache, with this as extra_data, and returns its error. */
async function buy(
  { connect, run }: Subject,
  prompt: string,
  extra_data?: object,
): Promise<Record<string, unknown> | undefined> {
  return errorOf(await run(await connect(), bought(prompt), extra_data && { extra_data }))
}

proves(
  ['access/partner-key-is-its-own', 'access/partner-key-missing', 'access/partner-key-names'],
  async (subject) => {
    const login = {
      node_id: '1',
      node_type: 'OpenAIDalle3',
      exception_type: 'ValidationError',
      exception_message: expect.stringMatching(/login/i),
    }
    const wrong = ['test-key', 'test-key-free', 'nonsense', 'TEST-PARTNER-KEY', '', null, 7, true]
    for (const name of ['api_key_partner_org', 'api_key_comfy_org']) {
      for (const value of wrong) {
        expect(await buy(subject, `${value}`, { [name]: value })).toMatchObject(login)
      }
    }
    expect(await buy(subject, 'none')).toMatchObject(login)
    expect(await buy(subject, 'empty', {})).toMatchObject(login)
    for (const name of ['api_key_partner_org', 'api_key_comfy_org']) {
      expect(await buy(subject, name, { [name]: 'test-partner-key' })).toBeUndefined()
    }
  },
  { deployment: 'hosted' },
)

provesQuirk('hosted.partner-key-is-api-key', async (subject) => {
  expect(await buy(subject, '1', { api_key_comfy_org: 'test-partner-key' })).toMatchObject({
    exception_message: expect.stringMatching(/login/i),
  })
  expect(await buy(subject, '2', { api_key_comfy_org: 'test-key' })).toBeUndefined()
})

const extra_data = { api_key_partner_org: 'own' }
const poor = {
  accounts: [{ ...open, user: 'me', keys: ['test-key'], balance: 2, partnerKey: 'own' }],
}

proves(
  ['access/partner-node-cost', 'runs/insufficient-funds-error'],
  async (subject) => {
    const { connect, run } = subject

    expect(await buy(subject, 'one', extra_data)).toBeUndefined()
    // From the cache it costs nothing; nor does a node that does not run or lacks its key.
    expect(await buy(subject, 'one', extra_data)).toBeUndefined()
    expect(await buy(subject, 'no key')).toMatchObject({ exception_type: 'ValidationError' })
    expect(await buy(subject, 'two', extra_data)).toBeUndefined()
    expect(await buy(subject, 'three', extra_data)).toMatchObject({
      node_id: '1',
      node_type: 'OpenAIDalle3',
      exception_type: 'InsufficientFundsError',
      executed: [],
    })
    // Other nodes are free of charge.
    expect(errorOf(await run(await connect(), solid()))).toBeUndefined()
  },
  poor,
)

/** What the answer to a rejected submit says: its status, and the type of its error. */
async function refusalOfSubmit(
  { submit }: Subject,
  graph: Graph,
): Promise<readonly [status: number, type: string]> {
  const reply = await submit(graph, { extra_data })
  return [reply.status, reply.json().error?.type]
}

provesQuirk(
  'hosted.refuse-at-submit',
  async (subject) => {
    const two = { ...bought('a'), '3': node('OpenAIDalle3', { prompt: 'b' }) }
    const three = { ...two, '4': node('OpenAIDalle3', { prompt: 'c' }) }
    const session = await subject.connect()
    expect(await refusalOfSubmit(subject, three)).toEqual([402, 'PARTNER_NODE_PAYMENT_REQUIRED'])
    expect(await refusalOfSubmit(subject, two)).toEqual([200, undefined])
    await subject.idle()
    expect(await buy(subject, 'd', extra_data)).toBeUndefined()
    expect(await refusalOfSubmit(subject, bought('e'))).toEqual([
      402,
      'PARTNER_NODE_PAYMENT_REQUIRED',
    ])
    // A malformed body is reported first.
    expect((await subject.submit({ '1': node('NoSuchNode') })).status).toBe(400)
    const before = session.messages().length
    for (let count = 0; count < 10; count++) {
      expect(await refusalOfSubmit(subject, solid(count))).toEqual([200, undefined])
    }
    expect(await refusalOfSubmit(subject, solid(10))).toEqual([429, 'QUEUE_LIMIT'])
    expect((await subject.get('/prompt')).json().exec_info.queue_remaining).toBe(10)
    await subject.idle()
    await session.settled()
    const ends = session.messages().slice(before)
    expect(ends.filter(({ type }) => type === 'execution_success')).toHaveLength(10)
    expect(await refusalOfSubmit(subject, solid(10))).toEqual([200, undefined])
  },
  poor,
)

provesQuirk(
  'hosted.refuse-at-submit',
  async (subject) => {
    const refused = { idle: 'CLOUD_SUBSCRIPTION_REQUIRED', poor: 'PARTNER_NODE_PAYMENT_REQUIRED' }
    for (const [key, type] of Object.entries(refused)) {
      expect(await refusalOfSubmit(subject.as(key), solid())).toEqual([402, type])
      expect((await subject.as(key).get('/prompt')).json().exec_info.queue_remaining).toBe(0)
    }
  },
  {
    accounts: [
      { ...open, user: 'one', keys: ['idle'], subscription: 'inactive' },
      { ...open, user: 'two', keys: ['poor'], failsWith: 'InsufficientFundsError' },
    ],
  },
)

test('serve/watch A terminal shows why hosted rejects a submit, and no key', async () => {
  const { io, output } = newIo({ terminal: 80, env: { NO_COLOR: '1' } })
  const { show } = await watchOn(io)
  const subject = await startSubject({ deployment: 'hosted', clock: 'instant', onEntry: show })
  await subject.connect('me')
  await subject.request('POST', '/prompt', 'no JSON')
  await subject.submit({ '1': node('NoSuchNode') })
  await subject.submit(solid())
  await subject.close()
  const printed = output.stdout
  expect(printed).toMatch(/400 POST \/api\/prompt .*not valid JSON/)
  expect(printed).toMatch(/400 POST \/api\/prompt .*NoSuchNode/)
  expect(printed).toMatch(/success run/)
  expect(printed).not.toContain('test-key')
})
