// The control paths of a workflow server beyond those of every machine. Loaded with the first control request.

import type { Fault } from '../../spec/scenario/faults.ts'
import type { SocketEnd } from '../machine.ts'
import type { ScenarioInput } from '../options/scenario.ts'
import { type ControlPaths, ok, readMembers, unusable } from './control.ts'
import type { Emulator } from './handles.ts'
import { jsonBody, worldPaths } from './world-paths.ts'

export const serverPaths = (server: Emulator): ControlPaths => ({
  ...worldPaths(server),
  'GET runs': () => ok(server.runs()),
  'GET messages': async ({ query }) => ok(await server.messages(query)),
  'GET frames': async ({ query }) => ok(await server.frames(query)),
  'POST scenario': ({ body }) => {
    server.load(jsonBody(body) as ScenarioInput)
    return ok({})
  },
  'POST faults': ({ body }) => ok({ id: server.fault(jsonBody(body) as Fault).id }),
  'GET faults': () => ok(server.faults()),
  'DELETE faults/{name}': ({ segment }) => ok({ removed: server.removeFault(segment) }),
  'POST drop': async ({ body }) => ok({ dropped: await server.dropSockets(readEnd(body)) }),
})

const endUsage =
  'The body must be {"how": "reset"}, {"how": "silence"} or {"how": {"close": 1012}}.'

function readEnd(body: Uint8Array): SocketEnd | undefined {
  if (body.length === 0) return undefined
  const { how = 'reset' } = readMembers(body, ['how'], endUsage)
  if (how === 'reset' || how === 'silence') return how
  const code = typeof how === 'object' && how !== null && 'close' in how ? how.close : undefined
  if (!Number.isInteger(code) || Number(code) < 1000 || Number(code) > 4999)
    throw unusable(endUsage)
  return { close: Number(code) }
}
