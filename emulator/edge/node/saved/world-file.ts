// A world as a file: a line of JSON that says what the file is, then the world in V8's format, which keeps references, then
// in a file for others the bytes of its uploads. In a state folder these lie beside it, each once by its hash.

import { createHash } from 'node:crypto'
import { DefaultDeserializer, DefaultSerializer } from 'node:v8'
import { version } from '../../../lib/version.ts'
import type { Deployment } from '../../../../spec/language.ts'
import { isUsageError, usageError } from '../../../options/usage.ts'
import type { SavedWorld } from '../../world-parts.ts'

/** A world as a file, without the uploads that it names. */
export type WorldFile = {
  readonly bytes: Buffer
  /** The uploads by their hashes. */
  readonly uploads: ReadonlyMap<string, Uint8Array>
}

/** The first line of a file. */
type Header = {
  readonly file: typeof KIND
  readonly version: string
  readonly deployment: Deployment
  /** The size of the world, in bytes, */
  readonly bytes: number
  /** and its hash. */
  readonly sha256: string
  readonly uploads: readonly { readonly sha256: string; readonly bytes: number }[]
}

const KIND = 'a world of flowdouble'
/** The longest first line: 10,000 uploads have a megabyte. */
const MAX_HEADER_BYTES = 4 * 2 ** 20

/** Bytes from this number on lie beside the world. */
const UPLOAD_BYTES = 4096

/** How bytes stand in the world. */
const [INLINE, BESIDE] = [0, 1]

/** The hashes of uploads, which never change once they are stored. */
const known = new WeakMap<Uint8Array, string>()

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

function uploadHash(bytes: Uint8Array): string {
  const hash = known.get(bytes) ?? hashOf(bytes)
  known.set(bytes, hash)
  return hash
}

class WorldWriter extends DefaultSerializer {
  readonly uploads = new Map<string, Uint8Array>()

  /** The library calls it for bytes, once for each object. */
  _writeHostObject(bytes: Uint8Array): void {
    if (bytes.length < UPLOAD_BYTES) {
      this.writeUint32(INLINE)
      this.writeUint32(bytes.length)
      this.writeRawBytes(bytes)
      return
    }
    const hash = uploadHash(bytes)
    this.uploads.set(hash, bytes)
    this.writeUint32(BESIDE)
    this.writeRawBytes(Buffer.from(hash, 'hex'))
  }
}

class WorldReader extends DefaultDeserializer {
  readonly #uploadOf: (hash: string) => Uint8Array

  constructor(bytes: Buffer, uploadOf: (hash: string) => Uint8Array) {
    super(bytes)
    this.#uploadOf = uploadOf
  }

  _readHostObject(): Uint8Array {
    if (this.readUint32() === INLINE) return Uint8Array.from(this.readRawBytes(this.readUint32()))
    return this.#uploadOf(this.readRawBytes(32).toString('hex'))
  }
}

/** @param saved a world that changes no more before this function returns. */
export function writeWorld(saved: SavedWorld, deployment: Deployment): WorldFile {
  const writer = new WorldWriter()
  writer.writeHeader()
  writer.writeValue(saved)
  const world = writer.releaseBuffer()
  const header: Header = {
    file: KIND,
    version,
    deployment,
    bytes: world.length,
    sha256: hashOf(world),
    uploads: Array.from(writer.uploads, ([sha256, { length: bytes }]) => ({ sha256, bytes })),
  }
  const line = Buffer.from(`${JSON.stringify(header)}\n`)
  return { bytes: Buffer.concat([line, world]), uploads: writer.uploads }
}

/** A world with its uploads, as a file for others. */
export const wholeFile = ({ bytes, uploads }: WorldFile): Buffer =>
  Buffer.concat([bytes, ...uploads.values()])

/** Where the uploads of a file are: behind it, or beside it in a folder. */
type UploadSource = 'behind' | ((sha256: string) => Uint8Array | undefined)

/**
 * The world in a file. Throws a usage error if it is damaged, if another version wrote it, or if it belongs to the other
 * deployment. Nobody but its writer can know that it fits the program: a file is to be trusted like one.
 * @param name how messages name the file.
 */
export function readWorld(
  file: Uint8Array,
  deployment: Deployment,
  name: string,
  source: UploadSource = 'behind',
): SavedWorld {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf('\n')
  const header = headerIn(bytes.subarray(0, Math.max(end, 0)).toString())
  if (header === undefined) throw usageError(`${name} is not a saved world.`)
  if (header.version !== version)
    throw usageError(
      `${name} was saved by version ${header.version}, and this is ${version}: use the same version.`,
    )
  if (header.deployment !== deployment)
    throw usageError(
      `${name} is a world of a ${header.deployment} server, and this is ${deployment}.`,
    )
  const world = bytes.subarray(end + 1, end + 1 + header.bytes)
  const damaged = (): Error =>
    usageError(`${name} is damaged: save the world again, or leave the file out.`)
  if (hashOf(world) !== header.sha256) throw damaged()
  const uploads =
    source === 'behind' ? uploadsIn(header, bytes.subarray(end + 1 + header.bytes)) : undefined
  const uploadOf = (sha256: string): Uint8Array => {
    const found = typeof source === 'function' ? source(sha256) : uploads?.get(sha256)
    if (found === undefined || uploadHash(found) !== sha256) throw damaged()
    return found
  }
  const reader = new WorldReader(world, uploadOf)
  try {
    reader.readHeader()
  } catch {
    throw usageError(`${name} was saved by a newer Node.js: use the same one.`)
  }
  return readValue(reader, damaged)
}

/** Whoever makes a file can make any value of it, and the reader of the engine believes a good deal. */
function readValue(reader: WorldReader, damaged: () => Error): SavedWorld {
  try {
    const saved: unknown = reader.readValue()
    if (isSaved(saved)) return saved
  } catch (error) {
    if (isUsageError(error)) throw error
  }
  throw damaged()
}

/** Whether a value has the members of a saved world. */
const isSaved = (value: unknown): value is SavedWorld =>
  typeof value === 'object' &&
  value !== null &&
  (['state', 'snapshots', 'lastIds', 'journal', 'options'] satisfies (keyof SavedWorld)[]).every(
    (name) => typeof (value as Partial<SavedWorld>)[name] === 'object',
  )

function headerIn(line: string): Header | undefined {
  try {
    const header = JSON.parse(line) as Header | null
    return header?.file === KIND ? header : undefined
  } catch {
    return undefined
  }
}

/** The uploads behind a world. */
function uploadsIn({ uploads }: Header, rest: Buffer): ReadonlyMap<string, Uint8Array> {
  let begin = 0
  return new Map(
    uploads.map(({ sha256, bytes }) => {
      const upload = Uint8Array.from(rest.subarray(begin, begin + bytes))
      begin += bytes
      return [sha256, upload]
    }),
  )
}
