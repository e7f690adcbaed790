// The control paths of a workflow server beyond those of every machine. Loaded with the first control request.

import { closeCodes, socketEnd } from '../../spec/socket-end.ts'
import type { Fault } from '../../spec/scenario/faults.ts'
import type { Effect, SocketEnd } from '../machine.ts'
import { fits } from '../options/json-schema.ts'
import type { ScenarioInput } from '../options/scenario.ts'
import {
  type ClockMover,
  type ControlPaths,
  type ControlReply,
  ok,
  readMembers,
  refusal,
  unusable,
} from './control.ts'
import type { Emulator } from './handles.ts'
import { runPaths } from './run-paths.ts'
import type { WorldUsage } from './worlds.ts'
import { jsonBody, newPlace, ownWorldPaths, requireNoFiles, worldPaths } from './world-paths.ts'

/**
 * @param scripted the types of messages that its script adds now.
 * @param usageOf the age and size of a world, where they are known.
 */
export const serverPaths = (
  server: Emulator,
  move: ClockMover<Effect>,
  scripted: () => readonly string[],
  usageOf?: (name: string | null) => WorldUsage | undefined,
): ControlPaths => ({
  ...runPaths(server, move, scripted),
  ...(server.worldToken === null
    ? { ...worldPaths(server, (given) => server.world(given), usageOf), ...statePaths(server) }
    : { ...ownWorldPaths(server, usageOf), ...savePaths(() => [server]) }),
  'GET state': async () => fileReply(await server.save()),
  'POST scenario': async ({ body }) => {
    const scenario = jsonBody(body)
    requireNoFiles({ scenario })
    await server.load(scenario as ScenarioInput)
    return ok({})
  },
  'POST faults': ({ body }) => ok({ id: server.fault(jsonBody(body) as Fault).id }),
  'GET faults': () => ok(server.faults()),
  'DELETE faults/{name}': ({ segment }) => ok({ removed: server.removeFault(segment) }),
  'POST drop': async ({ body }) => ok({ dropped: await server.dropSockets(readEnd(body)) }),
})

const fileReply = (body: Uint8Array<ArrayBuffer>): ControlReply => ({
  status: 200,
  type: 'application/octet-stream',
  body,
})

/** The path that returns one of these worlds as a file. */
const savePaths = (worlds: () => readonly Emulator[]): ControlPaths => ({
  'GET worlds/{name}/state': async ({ segment }) => {
    const world = worlds().find(({ name }) => name === segment)
    if (world === undefined) return refusal(404, `There is no world ${JSON.stringify(segment)}.`)
    return fileReply(await world.save())
  },
})

/** The paths that return worlds as files, and continue them. Where worlds have tokens, only these return them. */
const statePaths = (server: Emulator): ControlPaths => ({
  ...(server.options.worldTokens ? {} : savePaths(server.worlds)),
  'PUT worlds/{name}/state': async ({ segment, body }) => ({
    ...ok(newPlace(await server.world({ name: segment, saved: body }))),
    status: 201,
  }),
})

function readEnd(body: Uint8Array): SocketEnd | undefined {
  if (body.length === 0) return undefined
  const { how = 'reset' } = readMembers(body, ['how'], endUsage)
  if (!fits(socketEnd, how)) throw unusable(endUsage)
  return how as SocketEnd
}

const endUsage = `The body must be {"how": "reset"}, {"how": "silence"} or {"how": {"close": 1012}}; the code is ${closeCodes}.`
