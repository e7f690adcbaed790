// A world in the storage of its object: a snapshot, the inputs since then in rows, and large bytes once by their hash.
// Whatever is long lies there in parts: a value has at most 2 MiB on the hosted service.

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { concat, utf8 } from '../../lib/bytes.ts'
import type { Input } from '../../machine.ts'
import { readPlain, writePlain } from './plain-text.ts'
import type { ObjectStorage } from './runtime.ts'

/** Inputs that are written together. */
export type Row = {
  /** The inputs; a number stands for so many timers that fired when they were due. */
  readonly inputs: readonly (Input | number)[]
  /** When the last of them came, in milliseconds since 1970. */
  readonly wallMs: number
}

/** What is stored of a world: S is its snapshot. */
export type Kept<S> = { readonly snapshot: S; readonly rows: readonly Row[] }

export type Store<S> = {
  /** Null before the first snapshot. */
  readonly read: () => Promise<Kept<S> | null>
  readonly add: (row: Row) => void
  /** Replaces all rows that exist. The value is written as text before the function returns. */
  readonly replace: (snapshot: S) => Promise<void>
  /** How many bytes the rows take. */
  readonly rowBytes: () => number
  readonly clear: () => Promise<void>
}

const PART_BYTES = 2 ** 20

const SNAPSHOT = 'snapshot'
/** Numbers in the order of their keys. */
const numbered = (of: string, number: number): string => `${of}:${`${number}`.padStart(10, '0')}`
const rowKey = (number: number): string => numbered('row', number)
const bytesKey = (hash: string): string => `bytes:${hash}`

export function createStore<S>(storage: ObjectStorage): Store<S> {
  const { kv } = storage
  /** The rows, with what they name. */
  let rows: { readonly key: string; readonly parts: number; readonly names: readonly string[] }[] =
    []
  let lastRow = 0
  let rowBytes = 0
  let snapshotParts = 0
  /** How often everything was deleted: a snapshot that was begun before is not stored. */
  let clears = 0
  /** The large bytes in the storage, with the number of their parts. */
  const stored = new Map<string, number>()
  /** The hashes of bytes, which never change once they are in a world. */
  const hashes = new WeakMap<Uint8Array, string>()

  /** Returns the number of parts. */
  const put = (key: string, bytes: Uint8Array): number => {
    const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES))
    for (let part = 0; part < parts; part++)
      kv.put(numbered(key, part), bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES))
    return parts
  }
  const remove = (key: string, parts: number): void => {
    for (let part = 0; part < parts; part++) kv.delete(numbered(key, part))
  }
  const partsOf = (key: string): readonly Uint8Array[] =>
    Array.from(kv.list({ prefix: `${key}:` }), ([, part]) => part as Uint8Array)

  /** A value as text; its large bytes are put beside it. */
  const write = (value: unknown): { readonly text: string; readonly names: readonly string[] } => {
    const names: string[] = []
    const text = writePlain(value, (bytes) => {
      const name = hashes.get(bytes) ?? bytesToHex(sha256(bytes))
      hashes.set(bytes, name)
      names.push(name)
      if (!stored.has(name)) {
        stored.set(name, put(bytesKey(name), bytes))
        rowBytes += bytes.length
      }
      return name
    })
    return { text, names }
  }
  /** A value, and what it names. */
  const readText = (
    text: string,
  ): { readonly value: unknown; readonly names: readonly string[] } => {
    const names: string[] = []
    const value = readPlain(text, (name) => {
      const parts = partsOf(bytesKey(name))
      const bytes = concat(parts)
      stored.set(name, parts.length)
      hashes.set(bytes, name)
      names.push(name)
      return bytes
    })
    return { value, names }
  }
  const read: Store<S>['read'] = async () => {
    const snapshot = partsOf(SNAPSHOT)
    if (snapshot.length === 0) return null
    snapshotParts = snapshot.length
    const text = await piped(concat(snapshot), new DecompressionStream('gzip'))
    const { value } = readText(new TextDecoder().decode(text))
    const texts = new Map<string, Uint8Array[]>()
    for (const [key, part] of kv.list({ prefix: 'row:' })) {
      const row = key.slice(0, key.lastIndexOf(':'))
      texts.set(row, [...(texts.get(row) ?? []), part as Uint8Array])
    }
    const found: Row[] = []
    for (const [key, parts] of texts) {
      const bytes = concat(parts)
      const row = readText(new TextDecoder().decode(bytes))
      found.push(row.value as Row)
      rows.push({ key, parts: parts.length, names: row.names })
      rowBytes += bytes.length
      lastRow = Number(key.slice(key.indexOf(':') + 1))
    }
    return { snapshot: value as S, rows: found }
  }
  const add: Store<S>['add'] = (row) => {
    const { text, names } = write(row)
    const key = rowKey(++lastRow)
    const bytes = utf8(text)
    rows.push({ key, parts: put(key, bytes), names })
    rowBytes += bytes.length
  }
  const replace: Store<S>['replace'] = async (snapshot) => {
    const { text, names } = write(snapshot)
    // Those that come while it is compressed stay. If it fails, all do, and belong to the next one.
    const covered = rows.length
    const epoch = clears
    const bytes = await piped(utf8(text), new CompressionStream('gzip'))
    if (epoch !== clears) return
    storage.transactionSync(() => {
      remove(SNAPSHOT, snapshotParts)
      snapshotParts = put(SNAPSHOT, bytes)
      for (const { key, parts } of rows.splice(0, covered)) remove(key, parts)
      // Rows that came meanwhile name theirs.
      const named = new Set([...names, ...rows.flatMap((row) => row.names)])
      for (const [name, parts] of stored) {
        if (named.has(name)) continue
        remove(bytesKey(name), parts)
        stored.delete(name)
      }
    })
    rowBytes = 0
  }
  const clear = (): Promise<void> => {
    clears++
    stored.clear()
    rows = []
    rowBytes = lastRow = snapshotParts = 0
    return storage.deleteAll()
  }
  return { read, add, replace, rowBytes: () => rowBytes, clear }
}

const piped = async (
  bytes: Uint8Array,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array> => {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(through)
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
