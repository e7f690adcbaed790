// The checks of the doctor on the store, a file or a database, and on the health of the gateway that uses it.

import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { modeFault } from '../../config/file-modes.ts'
import { lockHolder } from '../../config/lock.ts'
import { examineShared } from '../../edge/gateway/store/examine.ts'
import { openStore, type StoreSettings } from '../../edge/gateway/store/open.ts'
import { isPostgres } from '../../edge/gateway/store/place.ts'
import { askProblems, socketPath } from '../../edge/gateway/store/socket.ts'
import { reasonOf } from '../../edge/gateway/store/sql.ts'
import { usedBytes } from '../../edge/gateway/store/sqlite.ts'
import type { Fault } from '../../gateway/route-checks.ts'
import { isRefused } from '../../lib/refused.ts'
import { type Finding, note, ok, problem, problemsOr, skipped } from './findings.ts'
import { modeSentence } from './set-up-faults.ts'

const check = 'store'
/** The part of its largest size from which a store is nearly full. */
const NEARLY_FULL = 0.9

/** The store of a gateway: what is found, and what the gateway that uses it says is wrong; null if none answers. */
export type StoreReport = {
  readonly findings: readonly Finding[]
  readonly problems: readonly string[] | null
}

/** Examines the store of these settings; null for a gateway without one. */
export async function examineStore(settings: StoreSettings | null): Promise<StoreReport> {
  if (settings === null)
    return alone([
      note(check, {
        what: 'There is no store',
        why: 'A stop or a crash of the gateway loses accepted runs.',
        mend: 'Leave out --no-store.',
      }),
    ])
  if (isPostgres(settings.store)) return alone([await sharedFinding(settings)])
  return examineFile(settings)
}

const alone = (findings: readonly Finding[]): StoreReport => ({ findings, problems: null })

async function examineFile(settings: StoreSettings): Promise<StoreReport> {
  const { store } = settings
  const found = await stat(store).catch(() => undefined)
  const broken = await fileFault(store, found?.isFile() ?? true)
  if (broken !== undefined) return alone([problem(check, broken)])
  if (found === undefined) return alone([ok(check, `gateway run will create ${store}`)])
  const mode = await modeFault(store, true)
  const faults =
    mode === undefined ? [] : [modeSentence(mode, 'It contains prompts, payloads and answers.')]
  const holder = await lockHolder(store)
  const socket = socketPath(store)
  const problems = holder && socket !== undefined ? await askProblems(socket) : undefined
  let used: number
  try {
    if (holder === undefined) await (await openStore(settings)).close()
    used = await usedBytes(store)
  } catch (error) {
    faults.push(openFault(store, error))
    return alone(faults.map((one) => problem(check, one)))
  }
  const most = settings.storeMib * 2 ** 20
  if (used >= most * NEARLY_FULL) faults.push(fullFault(used, settings))
  const findings = problemsOr(
    check,
    faults,
    `${store} uses ${mib(used)} of ${settings.storeMib} MiB` +
      (holder === undefined ? '' : `, and process ${holder.pid} has it open`),
  )
  if (holder !== undefined && problems === undefined)
    return alone([...findings, note(check, silent(store, holder))])
  return { findings, problems: problems ?? null }
}

const cannotStart = 'The gateway does not start.'
const mib = (bytes: number): number => Math.ceil(bytes / 2 ** 20)

/** Why this user cannot use a path as the store. */
async function fileFault(store: string, isFile: boolean): Promise<Fault | undefined> {
  const mend = `Move it away, or name another file with --store.`
  if (!isFile) return { what: `${store} is not a regular file`, why: cannotStart, mend }
  const denied = (await isDenied(store)) ? store : dirname(store)
  if (!(await isDenied(denied))) return undefined
  return {
    what: `This user cannot read and change ${denied}`,
    why: cannotStart,
    mend: `Run the gateway as its owner, or give it to this user: sudo chown $(id -u) ${denied}`,
  }
}

/** Whether this user cannot read or change what is at a path. */
const isDenied = (path: string): Promise<boolean> =>
  access(path, constants.R_OK | constants.W_OK).then(
    () => false,
    (error: unknown) => reasonOf(error) !== 'ENOENT',
  )

/** The fault of a file that does not open. */
function openFault(store: string, error: unknown): Fault {
  if (isRefused(error)) return refusalFault(error.message)
  return {
    what: `${store} is not a store that can be opened (${reasonOf(error)})`,
    why: cannotStart,
    mend: `Put back a copy, or move it away, which loses its runs: mv ${store} ${store}.broken`,
  }
}

/** A refusal says after its colon how to mend it. */
function refusalFault(message: string): Fault {
  const at = message.lastIndexOf(': ')
  return { what: message.slice(0, at), why: cannotStart, mend: message.slice(at + 2) }
}

const fullFault = (used: number, { store, storeMib }: StoreSettings): Fault => ({
  what: `${store} is nearly full: ${mib(used)} of ${storeMib} MiB`,
  why: 'When it is full, posts get 503 until old runs are deleted.',
  mend: 'Give gateway run a larger --store-mib, or a smaller --keep-days.',
})

const silent = (
  store: string,
  { pid, claim }: { readonly pid: number; readonly claim: string },
): Fault => ({
  what: `Process ${pid} has ${store} open, and does not answer`,
  why: 'No other gateway starts on it, and gateway runs cannot ask.',
  mend: `See what it is: ps -p ${pid}. If it does not exist, remove ${claim}.`,
})

async function sharedFinding({ store, leaseMs }: StoreSettings): Promise<Finding> {
  try {
    const { version, hasTables, isAllowed, living } = await examineShared(store, leaseMs)
    if (!isAllowed)
      return problem(check, {
        what: `The user of --store cannot ${hasTables ? 'use the tables of the store' : 'create tables'}`,
        why: cannotStart,
        mend: hasTables
          ? 'As its owner: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ...'
          : 'As its owner: GRANT CREATE ON SCHEMA public TO ...',
      })
    const tables = hasTables
      ? `${living} of its gateways and workers run`
      : 'gateway run will create its tables'
    return ok(check, `PostgreSQL ${version} can be reached, and ${tables}`)
  } catch (error) {
    if (isRefused(error)) return problem(check, refusalFault(error.message))
    const reason = reasonOf(error)
    const other = isOfPostgres(reason)
      ? 'See the log of PostgreSQL.'
      : 'Check host and port of --store: pg_isready -h HOST -p PORT'
    return problem(check, {
      what: `PostgreSQL cannot be used (${reason})`,
      why: 'The gateway does not start; one that runs refuses posts with 503.',
      mend: mends[reason] ?? other,
    })
  }
}

/** Whether a code is one of PostgreSQL, and not of the network. */
const isOfPostgres = (code: string): boolean => /^(?=.*\d)[0-9A-Z]{5}$/.test(code)

/** By the code of an error. */
const mends: Readonly<Record<string, string>> = {
  '28P01': 'Correct the password in --store or PGPASSWORD.',
  '28000': 'Correct the user of --store, or allow it in pg_hba.conf.',
  '3D000': 'Create the database that --store names: createdb NAME',
}

/** What a gateway that runs says is wrong; null if none runs. */
export function healthFindings(problems: readonly string[] | null): readonly Finding[] {
  if (problems === null) return [skipped('health', 'The gateway does not run')]
  const faults = problems.map((text) => ({
    what: `The running gateway is degraded: ${text.replace(/\.$/, '')}`,
    why: 'Its /health says so until that is over.',
    mend: 'See its log, and what is dead: flowdouble gateway runs list --state dead',
  }))
  return problemsOr('health', faults, 'The running gateway is not degraded')
}
