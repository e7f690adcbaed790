// What holds for every sequence of requests, sockets and time: local and hosted send the same, except for declared
// differences.

import type { EmulatorOptions } from 'flowdouble'
import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDifferences } from '../parity/differences.ts'
import { oneAtATime } from '../judge/hosted/jobs.ts'
import {
  createClientView,
  listener,
  type ReceivedByClient,
  type ClientView,
  noteRequest,
  noteMessage,
  noteReply,
} from '../model/client-view.ts'
import { dropped, onData, onJson, type Tamper } from '../mutants/tamper.ts'
import { startSubject } from '../judge/subject.ts'
import { type PlainRequest, type Action, actionsUpTo } from '../generate/actions.ts'
import { createSide, type Side } from '../parity/two-servers.ts'
import { isLong, runs, sampleOf } from '../support/effort.ts'

type DeclaredDifferences = ReturnType<typeof createDifferences>
type ServerPair = {
  readonly local: Side
  readonly hosted: Side
  readonly known: ClientView
  readonly declared: DeclaredDifferences
}

/** The requests to both after each action. */
const stateRequests: readonly PlainRequest[] = ['/queue', '/history', '/prompt'].map((path) => ({
  method: 'GET',
  path,
}))

/** Expects hosted to return what local returned, once the declared differences are applied. */
function same(expected: unknown, reply: unknown, about: string): void {
  // Undefined members are absent.
  const plain: unknown = JSON.parse(JSON.stringify(expected))
  if (isDeepStrictEqual(plain, reply)) return
  const texts = [`By local: ${JSON.stringify(plain)}`, `Hosted:   ${JSON.stringify(reply)}`]
  throw new Error([about, ...texts].join('\n'))
}

async function ask(
  { local, hosted, known: view, declared }: ServerPair,
  request: PlainRequest,
): Promise<PlainRequest> {
  noteRequest(view, request)
  const sent = declared.request(request, view)
  const reply = await local.ask(sent)
  const hostedReply = await hosted.ask(request)
  noteReply(view, request, reply)
  same(declared.reply(reply, request, view), hostedReply, `${request.method} ${request.path}`)
  return sent
}

/** Applies an action to both. Returns the request to local. */
async function play(both: ServerPair, action: Action): Promise<PlainRequest | undefined> {
  const { local, hosted, known: view } = both
  if (action.kind === 'request') return ask(both, action.request)
  for (const side of [local, hosted]) {
    if (action.kind === 'advance') await side.advance(action.ms)
    else await side[action.kind](action.client)
  }
  if (action.kind === 'advance') view.nowMs += action.ms
  return undefined
}

async function listen(
  { local, hosted, known: view, declared }: ServerPair,
  request?: PlainRequest,
): Promise<void> {
  const received: ReceivedByClient = await local.received()
  for (const message of received[listener] ?? []) noteMessage(view, message)
  same(
    declared.received(received, view, request),
    await hosted.received(),
    'what the clients receive',
  )
}

/** Plays actions on a local and a hosted server, and compares everything that they send. */
async function playAll(
  played: readonly Action[],
  declared: DeclaredDifferences,
  tampered: EmulatorOptions = {},
): Promise<void> {
  const preview = 'png'
  const local = await startSubject({ preview })
  const accounts = oneAtATime
  const hosted = await startSubject({ preview, deployment: 'hosted', accounts, ...tampered })
  try {
    const view = createClientView(Number(local.emulator?.options.epoch))
    const sides = { local: await createSide(local), hosted: await createSide(hosted) }
    const both = { ...sides, known: view, declared }
    await listen(both)
    for (const action of [...played, { kind: 'advance', ms: 60_000 } as const]) {
      await listen(both, await play(both, action))
      for (const request of stateRequests) await ask(both, request)
    }
  } finally {
    await Promise.all([local.close(), hosted.close()])
  }
}

const seed = Number(process.env['FC_SEED'] ?? 20261123)
const path = process.env['FC_PATH'] ?? ''

/** Plays many sequences. Returns the smallest one with a difference that no row explains, or undefined. */
async function search(
  declared: DeclaredDifferences,
  numRuns: number,
  maxActions: number,
  tamper?: () => Tamper,
) {
  const property = fc.asyncProperty(actionsUpTo(maxActions), (played) =>
    playAll(played, declared, tamper === undefined ? {} : { tamper: tamper() }),
  )
  const details = await fc.check(property, { seed, path, numRuns })
  if (!details.failed) return undefined
  const again = `FC_SEED=${details.seed} FC_PATH=${details.counterexamplePath ?? ''}`
  return {
    smallest: details.counterexample?.[0] ?? [],
    text: `${fc.defaultReportMessage(details)}\n${String(details.errorInstance)}\nTo see it again: ${again} npx vitest run suites/properties/deployments.test.ts -t deployments/same`,
  }
}

/** Wrong hosted servers, each with the number of actions that suffice to detect it. */
const wrong: Readonly<Record<string, { readonly actions: number; readonly tamper: () => Tamper }>> =
  {
    'a silent start': { actions: 2, tamper: dropped('notification') },
    'a run that is removed and did something': {
      actions: 3,
      tamper: onData('execution_interrupted', (data) => ({ ...data, executed: ['1'] })),
    },
    'settings that are returned alone': {
      actions: 2,
      tamper: onJson(/^POST \/api\/settings$/, () => ({})),
    },
  }

// The sample proves that one of them is found.
test.each(sampleOf(Object.entries(wrong), 3))(
  'deployments/tampered A difference that is not declared is found: %s.',
  async (_, { actions, tamper }) => {
    const found = await search(createDifferences(), 200, 10, tamper)
    expect(found?.text).toContain('To see it again: FC_SEED=')
    expect(found?.smallest.length).toBeLessThanOrEqual(actions)
  },
)

test('deployments/same Hosted sends what local sends, except for the declared differences.', async () => {
  const declared = createDifferences()
  const found = await search(declared, runs(30), 32)
  if (found !== undefined) throw new Error(found.text)
  // A row that explains nothing declares a difference that does not exist.
  if (isLong && process.env['FC_SEED'] === undefined) {
    expect([...declared.uses].filter(([, uses]) => uses === 0).map(([id]) => id)).toEqual([])
  }
})
