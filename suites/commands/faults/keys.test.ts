// Keys in faults, rules and names, which the journal must not contain, and how it replays without them.

import { replay, replayGateway } from 'flowdouble'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'

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
