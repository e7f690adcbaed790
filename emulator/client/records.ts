// Records of a server as objects, and the words for those that make no sense.

import { failure } from './failure.ts'
import { fieldsOf } from './json.ts'
import type { Fields } from './json.ts'
import { findJson, getJson, shortened } from './server.ts'
import type { Server } from './server.ts'

/** Which run is asked for, and where. */
export type Asked = {
  readonly server: Server
  readonly promptId: string
  readonly signal: AbortSignal
}

/** Where a run is, by the records of the server. */
export type RunState = 'waiting' | 'finished' | 'unknown'

/** So many answers in a row that make no sense end the following; fewer are a bad moment of the server. */
export const senselessMax = 6

/** The object at a path. Throws a `protocol` failure for everything else. */
export async function readRecord({ server, signal }: Asked, path: string): Promise<Fields> {
  return objectAt(server, path, await getJson(server, path, signal))
}

/** Like `readRecord`, but undefined where the server answers 404. */
export async function findRecord(
  { server, signal }: Asked,
  path: string,
): Promise<Fields | undefined> {
  const answer = await findJson(server, path, signal)
  return answer === undefined ? undefined : objectAt(server, path, answer)
}

/** A value of the answer at a path that must be an object. */
export function objectAt(server: Server, path: string, value: unknown): Fields {
  const fields = fieldsOf(value)
  if (fields === undefined) throw senseless(server, path, value, 'that is no object')
  return fields
}

/** Makes sure that these members of the record at a path are objects, where they are there at all. */
export function expectObjects(
  server: Server,
  path: string,
  record: Fields,
  names: readonly string[],
): void {
  for (const name of names) {
    const value = record[name] ?? {}
    if (fieldsOf(value) === undefined)
      throw senseless(server, path, { [name]: value }, `${name} is no object`)
  }
}

/** Says which request was answered by JSON that does not mean anything, and why. */
export function senseless(server: Server, path: string, value: unknown, why: string): Error {
  const said = shortened(JSON.stringify(value))
  return failure('protocol', `GET ${path} at ${server.shown} answered ${said}: ${why}.`)
}
