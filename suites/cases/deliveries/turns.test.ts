// Which run an agent takes next, and which posts wait when it has no time.

import { expect } from '../../judge/expect.ts'
import { type GatewaySubject, postAll, SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'

const route = { secret: SECRET, prompt: '{text}', deliver: 'telegram' }
const routes = { busy: route, quiet: route, ordered: { ...route, in_order: true } }
const body = '{"text": "x"}'
const ids = (count: number) => Array.from({ length: count }, (_, at) => `id-${at}`)

/** An agent whose runs end when a case says so. */
function heldAgent() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const agent = ({ prompt }: { readonly prompt: string }): Promise<string> => {
    begun.push(prompt)
    return new Promise((resolve) => ends.push(() => resolve(`answer to ${prompt}`)))
  }
  /** Ends the oldest run, and waits until the next ones have begun. */
  const endNext = async ({ gateway }: GatewaySubject): Promise<void> => {
    const ended = gateway.runs().filter(({ status }) => status === 'completed').length
    const isOver = (): boolean =>
      gateway.runs().filter(({ status }) => status === 'completed').length > ended
    ends.shift()?.()
    while (!isOver()) await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { agent, begun, endNext }
}

const fair = heldAgent()
proves(
  'deliveries/fair-turns',
  async (subject) => {
    for (const text of ['b1', 'b2', 'b3']) await subject.post('busy', { text })
    for (const text of ['q1', 'q2']) await subject.post('quiet', { text })
    for (let count = 0; count < 4; count++) await fair.endNext(subject)
    expect(fair.begun).toEqual(['b1', 'b2', 'q1', 'b3', 'q2'])
    await fair.endNext(subject)
  },
  { routes, agent: fair.agent, agentsAtOnce: 1 },
)

const ordered = heldAgent()
proves(
  'deliveries/in-order',
  async (subject) => {
    const { gateway, post } = subject
    gateway.failDeliveries({ target: 'telegram', error: 'network error', times: 1 })
    for (const text of ['o1', 'o2', 'o3']) await post('ordered', { text })
    await post('busy', { text: 'other' })
    expect(ordered.begun).toEqual(['o1', 'other'])
    await ordered.endNext(subject)
    // The answer of the first has not arrived yet.
    expect(ordered.begun).toEqual(['o1', 'other'])
    await gateway.until(({ kind }) => kind === 'outbox')
    await new Promise((resolve) => setImmediate(resolve))
    expect(ordered.begun).toEqual(['o1', 'other', 'o2'])
    for (let count = 0; count < 3; count++) await ordered.endNext(subject)
    expect(ordered.begun).toEqual(['o1', 'other', 'o2', 'o3'])
  },
  { routes, agent: ordered.agent },
)

proves(
  'deliveries/in-order',
  async ({ gateway, post, idle, texts }) => {
    for (const text of ['o1', 'o2']) await post('ordered', { text })
    await gateway.advance(1000)
    expect(texts()).toHaveLength(1)
    await idle()
    expect(texts()).toHaveLength(2)
  },
  { routes, agent: { delayMs: 1000 } },
)

proves(
  ['deliveries/fair-places', 'deliveries/retry-after-pace'],
  async ({ gateway, url, post }) => {
    expect(await postAll(url, ids(1000), body, 'busy')).toEqual(Array(1000).fill(202))
    const refused = await post('busy', { text: 'x' })
    expect([refused.status, refused.header('retry-after')]).toEqual([503, '10'])
    expect(await postAll(url, ids(500), body, 'quiet')).toEqual(Array(500).fill(202))
    expect((await post('quiet', { text: 'x' })).status).toBe(503)
    // 1,500 runs have ended within a millisecond each; none waits any more, and the next thousand may.
    await gateway.until('idle')
    expect(
      await postAll(
        url,
        ids(1000).map((id) => `again ${id}`),
        body,
        'busy',
      ),
    ).toEqual(Array(1000).fill(202))
    const again = await post('busy', { text: 'x' })
    expect([again.status, again.header('retry-after')]).toEqual([503, '1'])
  },
  { routes, rateLimit: 5000, agent: { delayMs: 5000 } },
)

proves(
  'deliveries/refused-unread',
  async ({ url, post, gateway }) => {
    await postAll(url, ids(1000), body, 'busy')
    // Neither parsed nor compared with the ids.
    expect((await post('busy', '{')).status).toBe(503)
    expect((await post('busy', { text: 'x' }, { 'X-Request-ID': 'id-0' })).status).toBe(503)
    await gateway.until('idle')
    // Of 1,002 posts that the limit allows, the refused ones took none.
    expect(await postAll(url, ['a', 'b', 'c'], body, 'busy')).toEqual([202, 202, 429])
  },
  { routes, rateLimit: 1002, agent: { delayMs: 5000 } },
)
