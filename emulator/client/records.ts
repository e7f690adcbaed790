// The server's records as objects, and the errors for invalid ones.

import { failure } from './failure.ts'
import { fieldsOf } from './json.ts'
import type { Fields } from './json.ts'
import { findJson, getJson, shortened } from './server.ts'
import type { Server } from './server.ts'

/** The run to look up, and its server. */
export type RunLookup = {
  readonly server: Server
  readonly promptId: string
  readonly signal: AbortSignal
}

/** The state of a run in the records of the server. */
export type RunState = 'waiting' | 'finished' | 'unknown'

/** After so many invalid responses in a row the client gives up; fewer are temporary. */
export const senselessMax = 6

/** The object at a path. Throws a `protocol` failure for everything else. */
export async function readRecord({ server, signal }: RunLookup, path: string): Promise<Fields> {
  return objectAt(server, path, await getJson(server, path, signal))
}

/** Like `readRecord`, but undefined for 404. */
export async function findRecord(
  { server, signal }: RunLookup,
  path: string,
): Promise<Fields | undefined> {
  const answer = await findJson(server, path, signal)
  return answer === undefined ? undefined : objectAt(server, path, answer)
}

/** A value of the response at a path that must be an object. */
export function objectAt(server: Server, path: string, value: unknown): Fields {
  const fields = fieldsOf(value)
  if (fields === undefined) throw senseless(server, path, value, 'that is not an object')
  return fields
}

/** Checks that these members of the record at a path are objects, if present. */
export function expectObjects(
  server: Server,
  path: string,
  record: Fields,
  names: readonly string[],
): void {
  for (const name of names) {
    const value = record[name] ?? {}
    if (fieldsOf(value) === undefined)
      throw senseless(server, path, { [name]: value }, `${name} is not an object`)
  }
}

/** A failure that names the request with an invalid response, and the reason. */
export function senseless(server: Server, path: string, value: unknown, why: string): Error {
  const said = shortened(JSON.stringify(value))
  return failure('protocol', `GET ${path} at ${server.shown} answered ${said}: ${why}.`)
}
