// The command `gateway runs`: what became of accepted runs, and what to do about one.

import { access } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { exitCodes } from '../../../spec/gateway/subscriptions.ts'
import { storedRunStates } from '../../../spec/gateway/store.ts'
import { printable } from '../../client/terminal-text.ts'
import { configDirOf } from '../../config/config-dir.ts'
import { requireStore } from '../../edge/gateway/store/open.ts'
import { isPostgres } from '../../edge/gateway/store/place.ts'
import { askGateway, socketPath } from '../../edge/gateway/store/socket.ts'
import {
  answerRuns,
  type AskRuns,
  type RunDetail,
  type RunRow,
} from '../../edge/gateway/store/stored-runs.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { refused } from '../../lib/refused.ts'
import { usageError } from '../../options/usage.ts'
import { bare, type Flags, type FlagTable, withValue } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'
import { storeSettings } from './gateway-store.ts'
import { countOf } from './gateway-work.ts'

export const runsFlags: FlagTable = {
  ...withValue('store', 'state', 'route', 'limit'),
  ...bare('follow'),
}

export const runsHelp = `Options for runs [list | show ID | retry ID | cancel ID | drop ID], where ID is a key or a delivery id:
  --store FILE|URL       the store of the gateway (default: that of the configuration directory)
  --state STATE          list runs in this state: ${storedRunStates.join(', ')}
  --route NAME           list runs of this route
  --limit N              list at most so many, the latest ones (default 100)
  --follow               go on listing runs when they change, until a signal`

const actions = ['list', 'show', 'retry', 'cancel', 'drop'] as const

/** Runs the command. */
export async function runsCommand(flags: Flags, io: CommandIo): Promise<number> {
  const [action = 'list', id, ...more] = flags.words
  const known = actions.find((one) => one === action)
  if (known === undefined)
    throw usageError(
      `Unknown command gateway runs ${action}.${didYouMean(action, actions)} Commands: ${actions.join(', ')}.`,
    )
  if (known === 'list' ? id !== undefined : id === undefined || more.length > 0)
    throw usageError(
      known === 'list'
        ? 'gateway runs list takes flags only.'
        : `gateway runs ${known} needs one ID.`,
    )
  const ask = await openRuns(flags, io)
  try {
    if (known !== 'list') {
      const run = (await ask.answer({ do: known, id: id ?? '' })) as RunDetail
      io.stdout.write(flags.isJson ? `${JSON.stringify(run)}\n` : printable(detailText(run, known)))
      return exitCodes.done
    }
    await listRuns(flags, io, ask.answer)
    return exitCodes.done
  } finally {
    await ask.close()
  }
}

/** Runs in a store that is open. */
export type StoredRuns = {
  readonly answer: AskRuns
  readonly close: () => Promise<void>
}

/** Reaches the store: through the gateway that owns it, or directly. */
export async function openRuns(flags: Flags, { env, cwd }: CommandIo): Promise<StoredRuns> {
  const settings = storeSettings(flags, configDirOf(flags.text('config-dir'), env, cwd))
  if (settings === null) throw usageError('gateway runs needs a store.')
  const { store: place } = settings
  const isShared = isPostgres(place)
  const socket = isShared ? undefined : socketPath(place)
  const isServed =
    socket !== undefined && (await askGateway(socket, { do: 'list', limit: 0 })) !== undefined
  if (isServed)
    return {
      answer: async (request) => {
        const found = await askGateway(socket, request)
        if (found === undefined) throw refused('The gateway has stopped: try again.')
        return found
      },
      close: () => Promise.resolve(),
    }
  if (!isShared)
    await access(place).catch(() => {
      throw refused(
        `There is no store ${place}: start flowdouble gateway run, or name it with --store.`,
      )
    })
  const store = await requireStore(settings)
  const nothing = { claim: () => undefined, cancel: () => undefined }
  return { answer: (request) => answerRuns(store, request, nothing), close: store.close }
}

const FOLLOW_MS = 1000

async function listRuns(flags: Flags, io: CommandIo, answer: StoredRuns['answer']): Promise<void> {
  const state = flags.text('state')
  if (state !== undefined && !storedRunStates.some((one) => one === state))
    throw usageError(
      `--state must be one of ${storedRunStates.join(', ')}.${didYouMean(state, storedRunStates)}`,
    )
  const limit = countOf(flags, 'limit') ?? 100
  const route = flags.text('route')
  const ask = async (changedMs?: number): Promise<readonly RunRow[]> =>
    (await answer({ do: 'list', state, route, limit, changedMs })) as readonly RunRow[]
  let rows = await ask()
  if (!flags.isSet('follow')) {
    if (flags.isJson) io.stdout.write(`${JSON.stringify(rows)}\n`)
    else io.stdout.write(printable(rows.length === 0 ? 'No runs.\n' : rows.map(lineOf).join('')))
    return
  }
  let latestMs = 0
  while (io.signal?.aborted !== true) {
    for (const row of rows) {
      io.stdout.write(flags.isJson ? `${JSON.stringify(row)}\n` : printable(lineOf(row)))
      latestMs = Math.max(latestMs, row.changed_ms)
    }
    await pause(FOLLOW_MS, undefined, { signal: io.signal ?? AbortSignal.any([]) }).catch(
      () => undefined,
    )
    rows = await ask(latestMs)
  }
}

const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

function lineOf(row: RunRow): string {
  const { accepted_ms, state, route, delivery_id, target, attempt, begun, error } = row
  const facts = [
    `to ${target}`,
    ...(attempt !== null && attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(begun > 1 ? [`begun ${begun} times`] : []),
    ...(error === null ? [] : [error]),
  ]
  return `${time(accepted_ms)}  ${state.padEnd(9)}  ${route}  ${delivery_id}  ${facts.join(', ')}\n`
}

const done: Readonly<Record<string, string>> = {
  retry: 'It goes on now, or when its gateway starts.\n',
  cancel: 'Nothing is delivered.\n',
  drop: 'It is deleted.\n',
}

function detailText(run: RunDetail, action: string): string {
  const text = (name: string): string => {
    const value = run[name]
    if (value === null || value === undefined) return ''
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    return `${name}:\n${shown.replaceAll(/^/gm, '  ')}\n`
  }
  const head = `${lineOf(run)}key: ${run.key}\n`
  if (action !== 'show') return head + (done[action] ?? '')
  return head + ['prompt', 'payload', 'answer', 'agent_error', 'text'].map(text).join('')
}
