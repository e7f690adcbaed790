// One of two servers that receive the same requests: its output, without the names that it chose for runs and files.

import { createHash } from 'node:crypto'
import { isMessage, type ReceivedItem as Raw, type Session } from '../judge/client.ts'
import { deep, jsonType, reason } from './words.ts'
import { nobody } from '../judge/hosted/jobs.ts'
import {
  listener,
  type ReceivedByClient,
  pathOf,
  type ReceivedItem,
  type PlainReply,
} from '../model/client-view.ts'
import { fetchFile } from '../judge/hosted/links.ts'
import type { Subject } from '../judge/subject.ts'
import type { Reply } from '../judge/reply.ts'
import type { PlainRequest } from '../generate/actions.ts'
import { fetchLink } from '../judge/http-client.ts'

export type Side = {
  /** Sends a request in which `<run 0>` and `<file 0>` stand for names. */
  readonly ask: (request: PlainRequest) => Promise<PlainReply>
  /** Connects a client. The listener reconnects at the same time, so that it receives the first messages too. */
  readonly connect: (client: string) => Promise<void>
  readonly disconnect: (client: string) => Promise<void>
  /** What clients received since the last call. */
  readonly received: () => Promise<ReceivedByClient>
  readonly advance: (ms: number) => Promise<void>
}

/** A file as a server names it. */
type Entry = Readonly<Record<'filename' | 'subfolder' | 'type', string>>

const hashOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, 16)

const isEntry = (value: any): boolean => 'filename' in value && 'subfolder' in value
const isRefusal = (value: any): boolean => Object.keys(value).join() === 'code,message'

const queryOf = (entry: Entry): string => new URLSearchParams(entry).toString()
const nothing: Entry = { filename: 'nothing.png', subfolder: '', type: 'output' }

export async function createSide(subject: Subject): Promise<Side> {
  const { deployment, emulator, request, upload } = subject
  const isHosted = deployment === 'hosted'
  const ids: string[] = []
  /** The names of files by their content, in the order in which they were reported. */
  const files = new Map<string, Entry>()
  const hashes = new Map<string, string>()
  const sessions = new Map<string, { readonly session: Session; at: number }>()

  const bytesOf = async (entry: Entry): Promise<Uint8Array | undefined> => {
    const { status, bytes } = await request('GET', `/view?${queryOf(entry)}`)
    if (status === 404) return undefined
    return isHosted ? fetchFile(subject, entry.filename) : bytes
  }
  /** The placeholder of a file: a hash of its content. */
  const learnFile = async (entry: Entry): Promise<string> => {
    const query = queryOf(entry)
    const bytes = hashes.has(query) ? undefined : await bytesOf(entry)
    if (bytes !== undefined) hashes.set(query, hashOf(bytes))
    const hash = hashes.get(query)
    if (hash !== undefined && !files.has(hash)) files.set(hash, entry)
    return hash ?? '<nothing>'
  }

  /** JSON without the names that the server chose. */
  const plain = async (json: string): Promise<any> => {
    const text = ids.reduce((sum, id, at) => sum.replaceAll(id, `<run ${at}>`), json)
    const value = JSON.parse(text)
    const entries: Entry[] = []
    deep(value, isEntry, (entry) => {
      entries.push(entry)
      return {}
    })
    for (const { filename, subfolder, type } of entries)
      await learnFile({ filename, subfolder, type })
    const named = deep(value, isEntry, (entry) => {
      const { filename, subfolder, type } = entry
      return { ...entry, filename: hashes.get(queryOf({ filename, subfolder, type })) }
    })
    return deep(
      deep(named, isRefusal, (one) => ({ ...one, message: reason })),
      (one) => 'sid' in one,
      (one) => ({ ...one, sid: '<sid>' }),
    )
  }

  const fill = (text: string, file: (entry: Entry) => string): string =>
    text
      .replaceAll(/<run (\d+)>/g, (_, at) => ids[Number(at)] ?? nobody)
      .replaceAll(/<file (\d+)>/g, (_, at) => file([...files.values()][Number(at)] ?? nothing))

  const send = ({ method, path, json, text, file, fields }: PlainRequest): Promise<Reply> => {
    const filled = fill(path, queryOf)
    if (file !== undefined) {
      const named = Object.entries(fields ?? {}).map(([name, value]) => [
        name,
        fill(value, (entry) => JSON.stringify(entry)),
      ])
      return upload(file, Object.fromEntries(named), filled)
    }
    if (json === undefined) return request(method, filled, text)
    const body = fill(JSON.stringify(json), ({ filename }) => filename)
    return request(method, filled, body, { 'Content-Type': 'application/json' })
  }

  const bodyOf = async (request: PlainRequest, { status, headers, bytes, text }: Reply) => {
    const type = headers['content-type'] ?? ''
    if (pathOf(request) === '/view' && status === 200) return { bytes: hashOf(bytes) }
    if (status === 302) return { link: hashOf((await fetchLink(headers['location'] ?? '')).bytes) }
    if (type !== jsonType) return text
    const value = await plain(text)
    if (request.file === undefined || status !== 200) return value
    const { name, subfolder, type: folder } = value
    return { ...value, name: await learnFile({ filename: name, subfolder, type: folder }) }
  }

  const plainOf = (raw: Raw): Promise<ReceivedItem> =>
    plain(
      JSON.stringify(isMessage(raw) ? raw : { frame: raw.frame, ...raw.fields }, (_, value) =>
        value instanceof Uint8Array ? hashOf(value) : value,
      ),
    )

  const open = async (client: string): Promise<void> => {
    const before = sessions.get(client)
    sessions.set(client, { session: await subject.connect(client), at: 0 })
    await before?.session.close()
  }
  await open(listener)

  return {
    ask: async (request) => {
      const reply = await send(request)
      if (request.path === '/prompt' && reply.status === 200) ids.push(reply.json().prompt_id)
      const body = await bodyOf(request, reply)
      return { status: reply.status, type: reply.headers['content-type'] ?? '', body }
    },
    connect: async (client) => {
      await open(listener)
      await open(client)
    },
    disconnect: async (client) => {
      await sessions.get(client)?.session.close()
      sessions.delete(client)
    },
    received: async () => {
      const byClient: Record<string, ReceivedItem[]> = {}
      for (const [client, one] of sessions) {
        await one.session.settled()
        const { received } = one.session
        const messages: ReceivedItem[] = []
        for (const raw of received.slice(one.at)) messages.push(await plainOf(raw))
        byClient[client] = messages
        one.at = received.length
      }
      return byClient
    },
    advance: async (ms) => emulator?.advance(ms),
  }
}
