// Removes from a server what `check` has made there.

import type { Subject } from '../judge/subject.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'

/** How many runs one request deletes. */
const MAX_IDS = 100

/** What is left after a removal. */
export type Left = {
  /** As texts. */
  readonly names: readonly string[]
  /** Whether another try may remove more of it: a server that was busy, or did not let us in, has refused for now. */
  readonly isWorthATry: boolean
}

/** Removes what the ledger lists. What cannot be removed is listed once, and forgotten: the file goes. */
export async function cleanUp(subject: Subject, ledger: Ledger): Promise<Left> {
  const entries = ledger.entries()
  const named = (kind: LedgerEntry['kind']): readonly string[] =>
    entries.flatMap((one) => (one.kind === kind && 'name' in one ? one.name : []))
  const removed = (of: 'run' | 'userdata', names: readonly string[]): void =>
    names.forEach((name) => ledger.add({ kind: 'removed', of, name }))

  let isWorthATry = false
  const note = (status: number): void => {
    // Real servers answer the removal of a folder with 500.
    isWorthATry ||= [401, 403, 429, 502, 503, 504].includes(status)
  }
  const runs = named('run')
  for (let at = 0; at < runs.length; at += MAX_IDS) {
    const ids = runs.slice(at, at + MAX_IDS)
    const replies = [
      await subject.post('/queue', { delete: ids }),
      await subject.post('/history', { delete: ids }),
    ]
    replies.forEach(({ status }) => note(status))
    if (replies.every(({ status }) => status < 300)) removed('run', ids)
  }
  for (const one of entries) {
    if (one.kind !== 'userdata') continue
    const path = `/userdata/${encodeURIComponent(one.name)}`
    const { status } =
      one.before === null
        ? await subject.request('DELETE', path)
        : await subject.request('POST', path, Buffer.from(one.before, 'base64'))
    if (status < 300 || status === 404) removed('userdata', [one.name])
    else note(status)
  }
  const left = ledger.entries().filter(({ kind }) => kind !== 'server')
  if (!isWorthATry) ledger.discard()
  return {
    names: left.map((one) => ('name' in one ? `${one.kind} ${one.name}` : one.kind)),
    isWorthATry,
  }
}
