// Faults in the journal and in forks, without the keys that faults, rules and names contain.

import { replay, replayGateway } from 'flowdouble'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { openPlain } from '../../judge/broken.ts'
import { slow, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { watchInputs, withFaults } from '../../support/faults.ts'
import { SECRET } from '../../judge/gateway-subject.ts'

/** Every effect of a fault, one after the other. */
const everything: readonly Fault[] = [
  { when: { path: '/queue', nth: 1 }, then: { status: 503, retryAfter: 1 } },
  { when: { path: '/queue', nth: 2 }, then: { delayMs: 50 } },
  { when: { path: '/queue', nth: 3 }, then: { reset: true } },
  { when: { path: '/queue', nth: 4 }, then: { reset: { afterBytes: 3 } } },
  { when: { path: '/queue', nth: 5 }, then: { truncate: 3 } },
  { when: { path: '/queue', nth: 6 }, then: { slow: { parts: 3, everyMs: 7 } } },
  { when: { path: '/queue', probability: 0.5 }, then: { delayMs: 20 } },
  { when: { socket: 'open', nth: 2 }, then: { refuse: 500 } },
  { when: { socket: 'open', nth: 3 }, then: { close: 1011 } },
  { when: { socket: 'open', nth: 4 }, then: { reset: true, delayMs: 5 } },
  { when: { message: 'progress', nth: 1 }, then: { skip: true } },
  { when: { message: 'progress', nth: 2 }, then: { repeat: 1, delayMs: 30 } },
  { when: { message: 'executing', nth: 2 }, then: { swap: true } },
  { when: { message: 'executing', nth: 3 }, then: { alter: { node: 'other' } } },
  { when: { message: 'executed' }, then: { insert: { type: 'new', data: {} } } },
  { when: { message: 'preview', nth: 2 }, then: { short: 9 } },
  { when: { message: 'preview', nth: 3, clientId: 'cut' }, then: { cut: 9 } },
  { when: { message: 'execution_success', clientId: 'closed' }, then: { close: 1011 } },
  { when: { message: 'execution_success', clientId: 'reset' }, then: { reset: true } },
  { when: { message: 'execution_success', clientId: 'silent' }, then: { silence: true } },
  { when: { message: 'executing', nth: 4 }, then: { silence: { forMs: 40 } } },
  { when: { path: '/queue', nth: 7 }, then: { status: 307, location: true } },
  { when: { atMs: 5000 }, then: { restart: true } },
]

const inputs = watchInputs()

proves(
  'faults/journal',
  async (subject) => {
    const { emulator, get, submit } = subject
    const ignored = (): undefined => undefined
    const clients = ['cut', 'refused', 'closed early', 'reset early', 'closed', 'reset', 'silent']
    for (const clientId of clients) {
      const arrives = inputs.next('open')
      void openPlain(subject, clientId).catch(ignored)
      await arrives
    }
    for (let count = 0; count < 20; count++) {
      const arrives = inputs.next('request')
      const answer = get('/queue').catch(ignored)
      await arrives
      await emulator!.advance(100)
      await answer
    }
    for (const clientId of ['cut', 'closed', 'reset', 'silent'])
      await submit(textToImage(1, 5), { client_id: clientId })
    await submit(solid(3))
    await submit(slow(20, 50), { client_id: 'cut' })
    await emulator!.until('idle')
    const lines = await emulator!.journal()
    const applied = lines.flatMap((line) => line.match(/"kind":"fault","id":"fault \d+"/g) ?? [])
    expect(new Set(applied).size).toBe(everything.length)
    expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
  },
  { onEntry: inputs.onEntry, preview: 'jpeg', ...withFaults(...everything) },
)

const key = 'key"of"the-user'
const accounts = [
  {
    user: 'ann',
    keys: [key, 'key-to-use'],
    partnerKey: 'partner-key',
    tier: 'pro',
    balance: 1000,
    subscription: 'active',
    failsWith: null,
  },
] as const

proves(
  'faults/keys-hidden',
  async ({ raw, emulator, deployment }) => {
    const server = emulator!
    expect(deployment).toBe('hosted')
    const headers = { 'X-API-Key': 'key-to-use' }
    server.fault({ when: { path: '/q' }, then: { status: 500, body: key } })
    server.fault({ when: { path: `/api/${key}` }, then: { status: 501, body: { [key]: [key] } } })
    server.fault({
      id: key,
      when: { path: '/json' },
      then: { status: 502, headers: { 'X-Of': key } },
    })
    server.fault({ id: 'other', when: { message: 'status' }, then: { alter: { [key]: key } } })
    const paths = ['/q', `/api/${encodeURIComponent(key)}`, '/json', '/start']
    const replies = []
    for (const path of paths) replies.push(await raw('GET', path, undefined, headers))
    expect(replies.map(({ status }) => status)).toEqual([500, 501, 502, 503])
    expect(replies[0]?.text).toBe(key)
    server.snapshot(key)
    server.removeFault(key)
    await server.restore(key)
    await server.load({ version: 1, runs: [{ outcome: 'error', exception_message: key }] })
    await raw('POST', '/api/prompt', JSON.stringify({ prompt: solid(1) }), headers)
    await server.until('idle')
    const lines = await server.journal()
    expect(lines.filter((line) => /the-user|key-to-use/.test(line))).toEqual([])
    expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
  },
  {
    deployment: 'hosted',
    accounts,
    scenario: {
      version: 1,
      faults: [{ id: 'start', when: { path: '/start' }, then: { status: 503, body: key } }],
    },
  },
)

proves(
  'scenario/gateway-secrets-hidden',
  async ({ gateway, post, idle }) => {
    await post('hook', {})
    await idle()
    gateway.snapshot(SECRET)
    await gateway.restore(SECRET)
    gateway.failDeliveries({ target: '*', error: SECRET, times: 1 })
    const lines = await gateway.journal()
    expect(lines.filter((line) => line.includes(SECRET))).toEqual([])
    expect(replayGateway(lines)).toEqual({ entries: lines.length - 1, differs: null })
  },
  { scenario: { version: 1, gateway: { agent: [{ answer: `with ${SECRET}` }] } } },
)
