// Starts a wrong server, or a faultless one, as an operator has it, and opens it as `check` does.

import type { EmulatorOptions } from 'flowdouble'
import { startEmulator, startGateway } from 'flowdouble'
import type { CheckOptions, TargetOptions } from '../../../spec/check.ts'
import { allowances, usualSessions } from '../../../spec/check.ts'
import { described, type Generation } from '../../../spec/generations.ts'
import type { Place } from '../../../spec/language.ts'
import { openGateway } from '../../check/gateway/target.ts'
import type { Ledger } from '../../check/ledger.ts'
import { probe } from '../../check/probe/probe.ts'
import type { CheckedServer, Target } from '../../check/running.ts'
import { openTarget } from '../../check/target.ts'
import { anyGateway, SECRET } from '../../judge/gateway-subject.ts'
import { testToken, twoAccounts } from '../../judge/proves.ts'
import { guarded } from '../guarded.ts'
import { type GatewayMutant, isGateway, type Mutant, type ServerMutant } from '../tamper.ts'

/** Where a server stands, and how its operator has set it up. */
export type Setting = { readonly place: Place; readonly setup: Setup }

type Later = Exclude<Generation, '0.3'>

/** What a local server has; the name of a later generation if it is one of that. */
export type Setup = 'usual' | 'token' | 'cors' | 'no manager' | Later | `assets of ${Later}`

const setups: Readonly<Record<Setup, EmulatorOptions>> = {
  usual: { manager: true },
  token: { manager: true, token: testToken },
  cors: { manager: true, cors: '*' },
  'no manager': {},
  'assets of 0.27': { manager: true, like: 'comfyui-0.27', assets: true },
  'assets of 0.33': { manager: true, like: 'comfyui-0.33', assets: true },
  'assets of 0.38': { manager: true, like: 'comfyui-0.38', assets: true },
  '0.27': { manager: true, like: 'comfyui-0.27' },
  '0.33': { manager: true, like: 'comfyui-0.33' },
  '0.38': { manager: true, like: 'comfyui-0.38' },
}

export type Opened = {
  readonly server: CheckedServer
  readonly software: string | null
  readonly library: string | null
  readonly generation: Generation
  readonly close: () => Promise<void>
}

/** The posts that a route accepts within 60 seconds: so many that no case waits for the window to pass. */
const MANY_POSTS = 300

/** Nothing outlives these servers, so nothing has to be written down. */
const noLedger: Ledger = {
  file: '',
  add: () => undefined,
  problem: () => undefined,
  entries: () => [],
  discard: () => undefined,
}

/** Starts a server and opens it; without a mutant it is faultless. Throws if it cannot be judged. */
export function open(setting: Setting, mutant?: Mutant): Promise<Opened> {
  if (setting.place === 'gateway')
    return openWrongGateway(mutant && isGateway(mutant) ? mutant : {})
  return openWrongServer(setting, mutant && !isGateway(mutant) ? mutant : {})
}

const free = {
  user: 'free',
  keys: ['test-key-free'],
  tier: 'free',
  balance: 1000,
  subscription: 'inactive',
  partnerKey: null,
  failsWith: null,
} as const

/** What probing finds at the faultless servers, which are opened first: reading the node types of each takes long. */
const targets = new Map<string, Promise<Target>>()

function targetOf(options: CheckOptions, kind: string): Promise<Target> {
  const known = targets.get(kind) ?? probe(options)
  targets.set(kind, known)
  return known
}

async function openWrongServer(
  { place, setup }: Setting,
  { tamper, options: own = {} }: Pick<ServerMutant, 'tamper' | 'options'>,
): Promise<Opened> {
  const deployment = place === 'hosted' ? 'hosted' : 'local'
  const usual: EmulatorOptions =
    deployment === 'hosted' ? { accounts: [...(twoAccounts.accounts ?? []), free] } : setups[setup]
  const emulator = await startEmulator({
    deployment,
    clock: 'real',
    port: 0,
    ...usual,
    ...own,
    ...(tamper && { tamper: guarded(tamper(deployment)) }),
  })
  try {
    const keys = own.accounts ? {} : { secondKey: 'other-key', freeKey: 'test-key-free' }
    const options: ReturnType<typeof optionsFor> = {
      ...optionsFor(emulator.url),
      ...(deployment === 'hosted' && { key: 'test-key', ...keys }),
      ...(setup === 'token' && { token: testToken }),
      ...(deployment === 'local' && { partnerKey: 'test-partner-key' }),
    }
    const target = {
      ...(await targetOf(options, `${deployment} ${usual.like}`)),
      url: emulator.url,
    }
    const server = openTarget(target, options, noLedger)
    const { software, library, generation } = target
    return { server, software, library, generation, close: () => emulator.close() }
  } catch (error) {
    await emulator.close()
    throw error
  }
}

async function openWrongGateway({
  tamper,
  options: own = {},
}: Pick<GatewayMutant, 'tamper' | 'options'>): Promise<Opened> {
  // A wrong limit shows beside the right one.
  const rateLimit = own.rateLimit === undefined ? MANY_POSTS : 30
  const gateway = await startGateway({
    clock: 'real',
    port: 0,
    rateLimit,
    ...own,
    routes: { ...anyGateway.routes, ...own.routes },
    ...(tamper && { tamper: guarded(tamper()) }),
  })
  const second = { route: 'second', secret: SECRET }
  try {
    const facts = { route: 'hook', secret: SECRET, second, rateLimit, hasControl: true } as const
    const { server, target } = await openGateway(optionsFor(gateway.url), facts)
    const { software } = target
    return { server, software, library: null, generation: described, close: () => gateway.close() }
  } catch (error) {
    await gateway.close()
    throw error
  }
}

/** An operator who allows everything. */
const optionsFor = (url: string): CheckOptions & Pick<TargetOptions, 'maxRuns'> => ({
  url,
  headers: {},
  allow: Object.keys(allowances) as (keyof typeof allowances)[],
  isReadOnly: false,
  maxRuns: Infinity,
  maxSeconds: Infinity,
  ...usualSessions,
  select: [],
  isList: false,
  accept: [],
  isJson: false,
  isBaselineUpdate: false,
  ledger: '',
})
