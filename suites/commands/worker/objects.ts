// The object of a world in this process, without workerd: its storage is a map, and it has no sockets.

import { gunzipSync, gzipSync } from 'node:zlib'
import { nodeTypeFiles, version, WorldObject } from '../../../dist/emulator/internal.js'

/** The control token. */
export const ADMIN = 'token-of-the-admin'

const ORIGIN = 'http://worker.test'

export type WorldInObject = {
  readonly ask: (
    method: string,
    path: string,
    more?: {
      readonly token?: string
      readonly body?: string | FormData
      readonly headers?: Readonly<Record<string, string>>
    },
  ) => Promise<{ readonly status: number; readonly text: string }>
  /** Throws the object away, as the runtime does when memory is short. */
  readonly evict: () => void
  /** Changes the snapshot as if this version had stored it. */
  readonly storedBy: (version: string) => void
  /** The keys of what is stored, in their order. */
  readonly stored: () => readonly string[]
}

/** @param snapshotInputs after how many inputs a snapshot replaces them. */
export function createObject(options: object, snapshotInputs = 500): WorldInObject {
  const values = new Map<string, unknown>()
  const keys = (): string[] => Array.from(values.keys()).toSorted()
  const storage = {
    kv: {
      // What is stored shares nothing with the world.
      put: (key: string, value: unknown) => void values.set(key, structuredClone(value)),
      delete: (key: string) => values.delete(key),
      list: ({ prefix }: { readonly prefix: string }) =>
        keys()
          .filter((key) => key.startsWith(prefix))
          .map((key): [string, unknown] => [key, structuredClone(values.get(key))]),
    },
    transactionSync: (work: () => void) => work(),
    deleteAll: async () => values.clear(),
  }
  const begin = (): { readonly object: WorldObject; readonly begun: Promise<void> } => {
    let begun = Promise.resolve()
    const context = {
      storage,
      blockConcurrencyWhile: (work: () => Promise<void>) => (begun = work()),
      acceptWebSocket: () => undefined,
      getWebSockets: () => [],
    }
    const environment = {
      WORLDS: { idFromName: () => null, get: () => ({ fetch: () => Promise.reject(new Error()) }) },
      TOKEN: ADMIN,
      OPTIONS: JSON.stringify(options),
      SNAPSHOT_INPUTS: `${snapshotInputs}`,
    }
    const types = { builtIn: nodeTypeFiles.builtIn, later: async () => nodeTypeFiles.later() }
    return { object: new WorldObject(context, environment, types), begun }
  }
  let current = begin()
  return {
    ask: async (method, path, { token, body, headers } = {}) => {
      const { object, begun } = current
      await begun
      const sent = new Headers(headers)
      if (token !== undefined) sent.set('Authorization', `Bearer ${token}`)
      const request = new Request(ORIGIN + path, {
        method,
        headers: sent,
        ...(body !== undefined && { body }),
      })
      const response = await object.fetch(request)
      return { status: response.status, text: await response.text() }
    },
    evict: () => {
      current = begin()
    },
    storedBy: (other) => {
      const key = 'snapshot:0000000000'
      const text = gunzipSync(values.get(key) as Uint8Array).toString()
      values.set(key, new Uint8Array(gzipSync(text.replaceAll(`"${version}"`, `"${other}"`))))
    },
    stored: keys,
  }
}
