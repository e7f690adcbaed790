// Plays one session in a server with a scenario, whatever happens to its requests and sockets, and returns the journal.

import { request } from 'node:http'
import {
  type EmulatorOptions,
  type Entry,
  type GatewayOptions,
  startEmulator,
  startGateway,
} from 'flowdouble'
import { WebSocket } from 'ws'
import { keyHeader } from '../../spec/server/access.ts'
import { profiles } from '../../spec/server/deployments.ts'
import { formOf } from '../generate/form.ts'
import { bought, type Graph, textToImage } from '../generate/graphs.ts'
import { signed, SECRET } from './gateway-subject.ts'

/** Free ports differ from run to run: the requests name another host. */
const headers = { Host: 'flowdouble.test' }

/** Waits until so many inputs of a kind have arrived. */
function createArrivals() {
  const counts = new Map<string, number>()
  const waiting: (() => void)[] = []
  return {
    take: (kind: string): void => {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      for (const resolve of waiting.splice(0)) resolve()
    },
    /** Waits for one more than so far, or until its sender has failed: the port of a server can be closed. */
    next: async (kind: string, send: (failed: () => void) => void): Promise<void> => {
      const before = counts.get(kind) ?? 0
      const failing = new Promise<'failed'>((resolve) => send(() => resolve('failed')))
      while ((counts.get(kind) ?? 0) === before) {
        const arriving = new Promise<'arrived'>((go) => waiting.push(() => go('arrived')))
        if ((await Promise.race([failing, arriving])) === 'failed') return
      }
    },
  }
}

type Exchange = {
  readonly url: string
  readonly method: string
  readonly path: string
  readonly body: string | Buffer
  readonly own: Readonly<Record<string, string>>
}

/** Sends a request, whose response can be late, broken or missing. */
function send({ url, method, path, body, own }: Exchange, failed: () => void): void {
  const sent = request(url + path, { method, headers: { ...headers, ...own }, agent: false })
  sent.on('error', failed)
  sent.on('response', (response) => response.on('error', () => undefined).resume())
  sent.end(body)
}

/** Plays the session for a scenario by its name: in a gateway if it is about one. */
export const playNamed = (scenario: string): Promise<readonly string[]> =>
  scenario.startsWith('gateway-') ? playGateway(scenario) : playScenario(scenario)

/**
 * Plays two runs: uploads, submits, downloads, and everything that a client polls. Time passes only between requests.
 */
export async function playScenario(
  scenario: NonNullable<EmulatorOptions['scenario']>,
): Promise<readonly string[]> {
  const arrivals = createArrivals()
  let lastRun = ''
  const onEntry = ({ input, effects }: Entry): void => {
    for (const effect of effects) if (effect.kind === 'run') lastRun = effect.prompt_id
    arrivals.take(input.kind)
  }
  const given = { scenario, clock: 'manual', seed: 'named', onEntry } as const
  const storage = { signedBaseUrl: 'http://storage.test' }
  const server = await startEmulator(given).then(async (plain) => {
    if (plain.options.deployment === 'local') return plain
    await plain.close()
    return startEmulator({ ...given, ...storage })
  })
  const { url, options } = server
  const isHosted = options.deployment === 'hosted'
  const own = isHosted ? { [keyHeader]: options.accounts[0]?.keys[0] ?? '' } : {}
  const { prefix } = profiles.hosted
  const ask = async (
    method: string,
    path: string,
    body: string | Buffer = '',
    more: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    const full = isHosted ? prefix + path : path
    const exchange = { url, method, path: full, body, own: { ...own, ...more } }
    await arrivals.next('request', (failed) => send(exchange, failed))
  }
  const sockets: WebSocket[] = []
  const connect = async (): Promise<void> => {
    const query = new URLSearchParams({
      clientId: 'me',
      ...(isHosted && { token: own[keyHeader] ?? '' }),
    })
    const target = `${url.replace('http', 'ws')}/ws?${query.toString()}`
    await arrivals.next('open', (failed) =>
      sockets.push(new WebSocket(target, { headers }).on('error', failed)),
    )
  }
  const extra_data = { api_key_comfy_org: 'test-partner-key' }
  const submit = (prompt: Graph): Promise<void> =>
    ask('POST', '/prompt', JSON.stringify({ prompt, client_id: 'me', extra_data }), {
      'Content-Type': 'application/json',
    })
  await connect()
  for (let round = 1; round <= 2; round++) {
    await ask('GET', '/system_stats')
    const form = formOf({ name: 'image', filename: 'photo.png', content: Uint8Array.of(1, 2) })
    await ask('POST', '/upload/image', form[0], form[1])
    await submit(textToImage(round, 6))
    await submit(bought())
    await server.advance(60)
    await connect()
    await ask('GET', '/queue')
    await ask('GET', isHosted ? `/job/${lastRun}/status` : `/history/${lastRun}`)
    await server.advance(10_000)
    await ask('GET', isHosted ? '/jobs' : '/history')
    await ask('GET', `/view?filename=image_0000${round}_.png&type=output`)
    await ask('POST', '/interrupt', '{}')
    await server.advance(120_000)
  }
  const journal = await server.journal()
  for (const socket of sockets) socket.terminate()
  await server.close()
  return comparable(journal)
}

/** Plays posts to a gateway with a scenario: three runs, a direct delivery, and time. */
async function playGateway(scenario: string): Promise<readonly string[]> {
  const hook = {
    secret: SECRET,
    prompt: '{text}',
    deliver: 'telegram',
    deliver_extra: { chat_id: '1' },
  }
  const arrivals = createArrivals()
  const options: GatewayOptions = {
    scenario,
    port: 0,
    clock: 'manual',
    epoch: 1_767_225_600_000,
    routes: { hook, direct: { ...hook, deliver_only: true } },
    onEntry: ({ input }) => arrivals.take(input.kind),
  }
  const gateway = await startGateway(options)
  let posts = 0
  for (const route of ['hook', 'direct', 'hook', 'hook']) {
    const body = JSON.stringify({ text: `post ${posts}` })
    const own = { ...signed(body), 'X-Request-ID': `${posts}` }
    const path = `/webhooks/${route}`
    const exchange: Exchange = { url: gateway.url, method: 'POST', path, body, own }
    await arrivals.next('request', (failed) => send(exchange, failed))
    posts++
    await gateway.advance(40_000)
  }
  const journal = await gateway.journal()
  await gateway.close()
  return comparable(journal)
}

/** A journal without its header, which names a port, and without ends of connections: when they are noticed varies. */
const comparable = (journal: readonly string[]): readonly string[] =>
  journal.slice(1).filter((line) => !line.includes('"input":{"kind":"close"'))
