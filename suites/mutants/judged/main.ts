// Judges every wrong server as an operator would, over sockets on the real clock: each must show a broken rule that a
// faultless server keeps.
//
//   npm run mutants -- [--only GLOB]... [--matrix FILE] [--at-once N]
//   npm run mutants -- --cases
//
// --cases lists instead, in process, the cases that fail on no wrong server, unless a reason is known.
// --matrix runs every case on every wrong server, and writes what came out as JSON.

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type Allowance, allowances } from '../../../spec/check.ts'
import type { Place, Rule } from '../../../spec/language.ts'
import type { Generation } from '../../../spec/generations.ts'
import { type RuleId, rules } from '../../../spec/rules.ts'
import type { CheckEvent } from '../../check/events.ts'
import { releaseOf, judgementOf } from '../../check/judgement.ts'
import { areaOf, asPattern, isOfQuirk, type PlannedCase, planCases } from '../../check/plan.ts'
import { NotMeasured } from '../../check/probe/ask.ts'
import { allCases } from '../../check/registry.ts'
import { runCases } from '../../check/run-cases.ts'
import type { Case } from '../../judge/proves.ts'
import { generated } from '../generated/index.ts'
import { mutants } from '../index.ts'
import { open, type Opened, type Setting } from './opened.ts'
import { isGateway, type Mutant, placesOf } from '../tamper.ts'
import { idleCases } from './cases.ts'
import { idleReason, unseen } from './unseen.ts'

type CaseEvent = Extract<CheckEvent, { readonly event: 'case' }>
type Row = {
  readonly mutant: string
  /** The title of the case that shows it, `probe` if it cannot even be opened, or null. */
  readonly caughtBy: string | null
  readonly isOwnRule: boolean
  readonly seconds: number
  /** What came out of the cases that were run, or why they were not, by title. */
  readonly verdicts: Readonly<Record<string, string>>
}

/**
 * From then on no further case begins on a wrong server, in milliseconds: the first that misses a message waits for it to
 * the end of its patience, and those of a gateway wait for windows of a minute.
 */
const MAX_MUTANT_MS = { local: 60_000, hosted: 60_000, gateway: 300_000 } as const

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    matrix: { type: 'string' },
    cases: { type: 'boolean' },
    'at-once': { type: 'string', default: '12' },
  },
})

const cases = await allCases()

/** What a server is judged by until the first case, or until all have run. */
async function* eventsOf(
  opened: Opened,
  place: Place,
  planned: readonly PlannedCase[],
  done: CaseEvent[] = [],
): AsyncGenerator<CaseEvent> {
  const { generation, library } = opened
  const judged = { place, generation, library, release: releaseOf(place, opened.software) }
  const events = runCases(planned, opened.server, {
    judge: (one, error, absent) => judgementOf(one, error, judged, done, absent),
    quirkCases: cases.filter((one) => one.place === place && isOfQuirk(one.ids)),
    commandFor: () => '',
    maxRuns: Infinity,
    endMs: performance.now() + (flags.matrix === undefined ? MAX_MUTANT_MS[place] : Infinity),
    signal: undefined,
    laws: { generation, elsewhere: new Map() },
    writeHar: () => '',
    kept: null,
  })
  for await (const event of events) {
    done.push(event)
    yield event
  }
}

/** The same, and at last the notes again: by then other cases can contradict the quirk that would explain one. */
async function* eventsTwice(
  opened: Opened,
  place: Place,
  planned: readonly PlannedCase[],
): AsyncGenerator<CaseEvent> {
  const done: CaseEvent[] = []
  yield* eventsOf(opened, place, planned, done)
  const notes = new Set(done.filter(({ verdict }) => verdict === 'note').map(({ title }) => title))
  const again = planned.filter(({ one }) => notes.has(one.title))
  yield* eventsOf(
    opened,
    place,
    again,
    done.filter(({ verdict }) => verdict !== 'note'),
  )
}

/** The plan of an operator who allows everything. */
const everything = {
  select: [],
  allow: Object.keys(allowances) as readonly Allowance[],
  isReadOnly: false,
  maxRuns: Infinity,
} as const

/** The cases of a place: those of the broken rules first, then those of their areas, the sessions, and the rest for a full table. */
function orderedFor(
  { breaks }: Mutant,
  place: Place,
  generation: Generation,
): readonly PlannedCase[] {
  const broken = new Set<string>(breaks)
  const areas = new Set(breaks.map((id) => areaOf({ ids: [id] } as unknown as Case)))
  const rankOf = ({ one, area }: PlannedCase): number =>
    one.ids.some((id) => broken.has(id)) ? 0 : areas.has(area) ? 1 : area === 'sessions' ? 2 : 3
  const isSlow = ({ tags }: PlannedCase): number => Number(tags.includes('slow'))
  return planCases(cases, { place, generation }, everything)
    .filter((planned) => !planned.one.needsOwnWorld && !isLeftOut(planned, rankOf(planned)))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || isSlow(a) - isSlow(b))
}

/** Cases of other areas, and the slow ones of a gateway, are left out unless the table is to be full. */
const isLeftOut = ({ one: { place }, tags }: PlannedCase, rank: number): boolean =>
  flags.matrix === undefined &&
  (rank === 3 || (place === 'gateway' && rank > 0 && tags.includes('slow')))

/** Whether an operator sees by this that the server is wrong. */
const shows = ({ verdict, quirk, rules: own }: CaseEvent, mutant: Mutant): boolean => {
  if (verdict !== 'note') return verdict === 'fail'
  const hasQuirk = !isGateway(mutant) && mutant.options?.quirk !== undefined
  return quirk === undefined || hasQuirk || own.some(({ basis }) => basis === 'chosen')
}

/** What a faultless server makes of a case, by its setting and title. */
const faultless = new Map<string, Promise<boolean>>()

/** Whether a faultless server passes a case. */
function isKept(setting: Setting, planned: PlannedCase): Promise<boolean> {
  const key = JSON.stringify([setting, planned.one.title])
  const known = faultless.get(key) ?? passes(setting, planned)
  faultless.set(key, known)
  return known
}

async function passes(setting: Setting, planned: PlannedCase): Promise<boolean> {
  const opened = await open(setting)
  try {
    for await (const { verdict } of eventsOf(opened, setting.place, [planned]))
      return verdict === 'pass'
    return false
  } finally {
    await opened.close()
  }
}

/** The setup that a rule is about. */
function setupFor(id: RuleId): Setting['setup'] {
  if (id.startsWith('http/cors-')) return 'cors'
  if (id === 'manager/off') return 'no manager'
  const { since = '0.3' }: Rule = rules[id]
  if (since !== '0.3')
    return id.startsWith('assets/') && id !== 'assets/off' ? `assets of ${since}` : since
  return cases.some((one) => one.isAboutToken && one.ids.includes(id)) ? 'token' : 'usual'
}

/** The settings in which a wrong server is judged, until one shows it. */
function settingsFor(mutant: Mutant): readonly Setting[] {
  const own = new Set(mutant.breaks.map(setupFor))
  return placesOf(mutant).flatMap((place) =>
    [...(place === 'local' ? own : ['usual' as const])].map((setup) => ({ place, setup })),
  )
}

/** Judges a wrong server. */
async function judge([name, mutant]: (typeof mutants)[number]): Promise<Row> {
  const startMs = performance.now()
  const verdicts: Record<string, string> = {}
  let caughtBy: string | null = null
  let isOwnRule = false
  for (const setting of settingsFor(mutant)) {
    if (caughtBy !== null && flags.matrix === undefined) break
    const opened = await open(setting, mutant).catch((error: unknown) => error as Error)
    if (opened instanceof Error) {
      // Another error says that there is no such server at this place.
      if (opened instanceof NotMeasured) caughtBy ??= 'probe'
      continue
    }
    const planned = orderedFor(mutant, setting.place, opened.generation)
    for await (const event of eventsTwice(opened, setting.place, planned)) {
      verdicts[event.title] = event.reason ?? event.verdict
      const one = planned.find(({ one: { title } }) => title === event.title)
      if (caughtBy !== null || !one || !shows(event, mutant)) continue
      if (!(await isKept(setting, one))) continue
      caughtBy = event.title
      isOwnRule = one.one.ids.some((id) => mutant.breaks.some((broken) => broken === id))
      if (flags.matrix === undefined) break
    }
    await opened.close()
  }
  const seconds = Math.round((performance.now() - startMs) / 100) / 10
  return { mutant: name, caughtBy, isOwnRule, seconds, verdicts }
}

const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

const chosen = mutants.filter(
  ([name]) => flags.only?.some((glob) => asPattern(glob).test(name)) ?? true,
)

/** Judges the part of a thread, several at the same time, and sends the rows to the main thread. */
async function judgeShare({ share, of }: { readonly share: number; readonly of: number }) {
  const waiting = chosen.filter((_, at) => at % of === share)
  for (const place of ['local', 'hosted'] as const)
    await (await open({ place, setup: 'usual' })).close()
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      parentPort?.postMessage(await judge(next))
  }
  await Promise.all(Array.from({ length: Number(flags['at-once']) }, work))
  process.exit()
}

/** Judges all, with a thread for each processor. Resolves to the rows. */
async function judgeAll(): Promise<readonly Row[]> {
  const rows: Row[] = []
  const of = availableParallelism()
  const ends = Array.from({ length: of }, (_, share) => {
    const workerData = { share, of }
    const thread = new Worker(new URL(import.meta.url), { workerData, argv: process.argv.slice(2) })
    thread.on('message', (row: Row) => {
      rows.push(row)
      progress(`${rows.length}/${chosen.length} ${row.mutant}`)
    })
    return once(thread, 'exit')
  })
  await Promise.all(ends)
  progress('')
  return rows
}

/** What the cases of the broken rules came to, in a few words. */
function whyMissed({ mutant, verdicts }: Row): string {
  const breaks = mutants.find(([name]) => name === mutant)?.[1].breaks ?? []
  const own = cases.filter((one) => one.ids.some((id) => breaks.some((broken) => broken === id)))
  const outcomes = own.map((one) =>
    one.needsOwnWorld ? 'own-world' : (verdicts[one.title] ?? 'not run'),
  )
  return `its cases: ${[...new Set(outcomes)].toSorted().join(', ') || 'none that check can run'}`
}

/** The generated ones that their cases miss. */
const missed = new Set(
  generated.flatMap(([name, { missedOn }]) => (missedOn.length > 0 ? [name] : [])),
)

/** Why nobody sees a wrong server; undefined if it should be seen. */
const reasonFor = (name: string): string | undefined =>
  unseen[name] ?? (missed.has(name) ? 'The cases of its rules miss it.' : undefined)

/** Prints how many were caught, and which were not; returns whether each of these has a reason. */
function report(rows: readonly Row[]): boolean {
  for (const area of new Set(chosen.map(([name]) => name.split('/')[0]))) {
    const own = rows.filter(({ mutant }) => mutant.startsWith(`${area}/`))
    const caught = own.filter(({ caughtBy }) => caughtBy !== null)
    const byOthers = caught.filter(({ isOwnRule }) => !isOwnRule).length
    const others = byOthers === 0 ? '' : `, ${byOthers} by cases of other rules`
    console.log(`${`${area}`.padEnd(14)} ${caught.length}/${own.length}${others}`)
  }
  const survivors = rows
    .toSorted((a, b) => (a.mutant < b.mutant ? -1 : 1))
    .filter(({ caughtBy }) => caughtBy === null)
  for (const row of survivors)
    console.log(
      `survives: ${row.mutant}: ${reasonFor(row.mutant) ?? `NO REASON; ${whyMissed(row)}`}`,
    )
  for (const { mutant, caughtBy } of rows)
    if (caughtBy !== null && unseen[mutant] !== undefined)
      console.log(`is seen after all: ${mutant}, by ${caughtBy}`)
  const seconds = Math.round(performance.now() / 1000)
  console.log(`${rows.length - survivors.length}/${rows.length} caught in ${seconds} s`)
  return (
    rows.length === chosen.length &&
    survivors.every(({ mutant }) => reasonFor(mutant) !== undefined)
  )
}

/** Prints the cases that fail on no wrong server; returns the exit code. */
async function reportIdle(): Promise<number> {
  const idle = await idleCases(cases)
  const unknown = idle.filter((title) => !title.split(' + ').some((one) => idleReason(one)))
  for (const title of unknown) console.log(`catches none: ${title}: NO REASON`)
  console.log(
    `${idle.length} of ${cases.length} cases catch none, ${unknown.length} without a reason`,
  )
  return unknown.length === 0 ? 0 : 1
}

if (flags.cases) process.exitCode = await reportIdle()
else if (isMainThread) {
  const rows = await judgeAll()
  if (flags.matrix !== undefined) writeFileSync(flags.matrix, `${JSON.stringify(rows, null, 1)}\n`)
  process.exitCode = report(rows) ? 0 : 1
} else await judgeShare(workerData as { readonly share: number; readonly of: number })
