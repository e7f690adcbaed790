// The rules behind replies, in a header of each.

import { replay, startEmulator } from 'flowdouble'
import { keyHeader } from '../../../spec/server/access.ts'
import { type RuleId, rules } from '../../../spec/index.ts'
import type { Place, Rule } from '../../../spec/language.ts'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { exchange } from '../../judge/wire.ts'

const header = 'x-flowdouble-rules'

/** The rules that a reply lists; each holds at this place. */
function idsOf(place: Place, listed: string | undefined): readonly string[] {
  const ids = listed?.split(', ') ?? []
  const known: Readonly<Record<string, Rule>> = rules
  expect(ids.filter((id) => !known[id]?.on.includes(place))).toEqual([])
  return ids
}

proves(
  'control/explain',
  async (subject) => {
    const { deployment, get, request, submit } = subject
    const isHosted = deployment === 'hosted'
    const all = async (reply: Promise<{ headers: Readonly<Record<string, string>> }>) =>
      idsOf(deployment, (await reply).headers[header])
    const either = (local: RuleId, hosted: RuleId): string => (isHosted ? hosted : local)
    expect(await all(get('/queue'))).toContain('queue/listing')
    expect(await all(get('/queue'))).toContain(either('queue/item', 'queue/hosted-item'))
    expect(await all(submit(solid()))).toEqual(['workflows/submit-queues', 'workflows/reply'])
    expect(await all(submit({}))).toEqual(['workflows/no-outputs'])
    expect(await all(get('/none'))).toContain(
      either('http/unknown-path', 'http/hosted-unknown-path'),
    )
    expect(await all(request('DELETE', '/queue'))).toContain(
      either('http/wrong-method', 'http/hosted-wrong-method'),
    )
    expect(await all(request('OPTIONS', '/queue'))).toContain(
      either('http/options', 'http/hosted-options'),
    )
    expect(await all(subject.view({ filename: 'none.png' }))).toEqual([
      either('files/view-missing', 'files/hosted-view-missing'),
    ])
    const noHttp = await exchange(subject.url, 'NO-METHOD', '/', {})
    expect(idsOf(deployment, noHttp.header(header))).toContain(
      either('http/no-http', 'http/hosted-no-http'),
    )
    const handshake = { Upgrade: 'websocket', Connection: 'Upgrade', Host: '127.0.0.1' }
    const refused = await exchange(subject.url, 'GET', '/ws', handshake)
    expect(idsOf(deployment, refused.header(header))).toEqual([
      either('messages/no-handshake', 'access/hosted-key-refusal'),
      ...(isHosted ? ['access/hosted-socket-key'] : []),
    ])
    const world = await subject.emulator!.world({ name: 'one' })
    const below = await fetch(`${world.url}${isHosted ? '/api' : ''}/features`, {
      headers: { [keyHeader]: 'test-key' },
    })
    expect(idsOf(deployment, below.headers.get(header) ?? '')).toContain('system/features')
    const without = await startEmulator({ deployment })
    expect((await fetch(`${without.url}/none`)).headers.get(header)).toBeNull()
    await without.close()
  },
  { explain: true },
)

proves(
  'control/explain-faults',
  async ({ emulator, get, deployment }) => {
    const server = emulator!
    let times = 0
    const withFault = async (then: Parameters<typeof server.fault>[0]['then']) => {
      server.fault({ id: 'one', when: { path: '/features' }, then })
      const reply = get('/features')
      await server.received({ path: '/features', times: ++times })
      await server.advance(10)
      return idsOf(deployment, (await reply).headers[header])
    }
    const own = 'system/features'
    expect(await withFault({ status: 503, retryAfter: 1 })).toEqual([
      'faults/status',
      'faults/retry-after',
      deployment === 'local' ? 'faults/text-body' : 'faults/hosted-body',
    ])
    expect(await withFault({ slow: { parts: 2, everyMs: 10 } })).toEqual(
      expect.arrayContaining(['faults/slow', own]),
    )
    expect(await withFault({ delayMs: 10 })).toEqual(
      expect.arrayContaining(['faults/delayed-response', own]),
    )
  },
  { explain: true, clock: 'manual' },
)

proves(
  'control/explain-journal',
  async ({ emulator, get }) => {
    expect((await get('/none')).headers).toHaveProperty(header)
    const lines = await emulator!.journal()
    expect(lines.join('\n')).not.toMatch(/x-flowdouble-rules/i)
    expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
  },
  { explain: true },
)

proves(
  'control/gateway-explain',
  async ({ send, post, gateway }) => {
    const idsIn = async (reply: ReturnType<typeof send>) =>
      idsOf('gateway', (await reply).header(header))
    expect(await idsIn(post('hook', {}))).toEqual([
      'webhooks/path',
      'webhooks/accepted',
      'deliveries/run',
    ])
    expect(await idsIn(send('POST', '/webhooks/hook', '{}'))).toEqual(['signatures/every-post'])
    expect(await idsIn(post('none', {}))).toEqual(['webhooks/unknown-route'])
    expect(await idsIn(send('GET', '/health'))).toContain('webhooks/health')
    expect(await idsIn(send('GET', '/none'))).toEqual(['webhooks/other-paths'])
    const fork = await gateway.fork('one')
    const below = await fetch(`${fork.url}/health`)
    expect(idsOf('gateway', below.headers.get(header) ?? '')).toContain('webhooks/health')
  },
  { explain: true },
)
