// Removes from a server what `check` has made there.

import type { Subject } from '../judge/subject.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'

/** How many runs one request deletes. */
const MAX_IDS = 100

/** Removes what the ledger lists, and returns what is left, as texts. The file goes when nothing is left to remove. */
export async function cleanUp(subject: Subject, ledger: Ledger): Promise<readonly string[]> {
  const entries = ledger.entries()
  const named = (kind: LedgerEntry['kind']): readonly string[] =>
    entries.flatMap((one) => (one.kind === kind && 'name' in one ? one.name : []))
  const removed = (of: 'run' | 'userdata', names: readonly string[]): void =>
    names.forEach((name) => ledger.add({ kind: 'removed', of, name }))

  const runs = named('run')
  for (let at = 0; at < runs.length; at += MAX_IDS) {
    const ids = runs.slice(at, at + MAX_IDS)
    await subject.post('/queue', { delete: ids })
    await subject.post('/history', { delete: ids })
    removed('run', ids)
  }
  for (const one of entries) {
    if (one.kind !== 'userdata') continue
    const path = `/userdata/${encodeURIComponent(one.name)}`
    const { status } =
      one.before === null
        ? await subject.request('DELETE', path)
        : await subject.request('POST', path, Buffer.from(one.before, 'base64'))
    if (status < 300 || status === 404) removed('userdata', [one.name])
  }
  const left = ledger.entries().filter(({ kind }) => kind !== 'server')
  // No request deletes an upload: it is listed, and stays.
  if (left.every(({ kind }) => kind === 'upload')) ledger.discard()
  return left.map((one) => ('name' in one ? `${one.kind} ${one.name}` : one.kind))
}
