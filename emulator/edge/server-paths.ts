// The control paths of a workflow server beyond those of every machine. Loaded with the first control request.

import { controlEndpoints } from '../../spec/control.ts'
import { closeCodes, socketEnd } from '../../spec/socket-end.ts'
import type { Fault } from '../../spec/scenario/faults.ts'
import type { Effect, SocketEnd } from '../machine.ts'
import { fits, isPlainObject } from '../options/json-schema.ts'
import type { ScenarioInput } from '../options/scenario.ts'
import { type ClockMover, type ControlPaths, ok, readMembers, unusable } from './control.ts'
import { queryFilter } from './filters.ts'
import type { Emulator } from './handles.ts'
import { messageData, requireMessageType } from './until-message.ts'
import { clockPaths, type Finder, jsonBody, requireNoFiles, worldPaths } from './world-paths.ts'

const { listMessages, listFrames } = controlEndpoints

/** What a clock moves to: a message, or a state of one run. */
const finderFor =
  ({ faults }: Emulator) =>
  (until: Readonly<Record<string, unknown>>): Finder<Effect> | undefined => {
    const { message, data = {}, run, state } = until
    if (typeof message === 'string' && isPlainObject(data)) {
      requireMessageType(message, faults())
      return (effect) => messageData(effect, message, data)
    }
    if (typeof run !== 'string') return undefined
    return (effect) =>
      effect.kind === 'run' && effect.prompt_id === run && (state ?? effect.state) === effect.state
        ? { prompt_id: run, state: effect.state }
        : undefined
  }

export const serverPaths = (server: Emulator, move: ClockMover<Effect>): ControlPaths => ({
  ...clockPaths(move, finderFor(server)),
  ...worldPaths(server, (given) => server.world(given)),
  'GET runs': () => ok(server.runs()),
  'GET messages': async ({ query }) =>
    ok(await server.messages(queryFilter(listMessages.query, query))),
  'GET frames': async ({ query }) => ok(await server.frames(queryFilter(listFrames.query, query))),
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

function readEnd(body: Uint8Array): SocketEnd | undefined {
  if (body.length === 0) return undefined
  const { how = 'reset' } = readMembers(body, ['how'], endUsage)
  if (!fits(socketEnd, how)) throw unusable(endUsage)
  return how as SocketEnd
}

const endUsage = `The body must be {"how": "reset"}, {"how": "silence"} or {"how": {"close": 1012}}; the code is ${closeCodes}.`
