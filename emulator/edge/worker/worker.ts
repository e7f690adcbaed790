// The entry point of a worker: passes each request to the object of its world. Experimental.

import { isWorldName, splitTarget } from '../worlds.ts'
import { bundledTypes } from '../fetch/create.ts'
import {
  type Environment,
  newSocketPair,
  type ObjectContext,
  type PlainSocket,
  socketOf,
  upgraded,
} from './runtime.ts'
import { targetOf, WorldObject } from './world.ts'

/** The class of objects that the configuration names. */
export class World extends WorldObject {
  constructor(context: ObjectContext, environment: Environment) {
    super(context, environment, bundledTypes)
  }
}

/** The world that a target is for, or that it creates or closes. */
const nameIn = (target: string): string | undefined =>
  splitTarget(target)?.name ?? /^\/_flowdouble\/worlds\/([^/?]+)/.exec(target)?.[1]

const nothing =
  'Worlds are below /w/NAME: create one with PUT /_flowdouble/worlds/NAME and the control token.'

/**
 * Puts another socket before that of an object: workerd ends the connection of one that can sleep only when its object does,
 * however early the server has closed it.
 */
function relayed(inner: PlainSocket, { headers }: Response): Response {
  const pair = newSocketPair()
  relay(inner, pair[1])
  relay(pair[1], inner)
  return upgraded(pair[0], headers)
}

function relay(from: PlainSocket, to: PlainSocket): void {
  // A blob cannot be sent on in order.
  from.binaryType = 'arraybuffer'
  from.addEventListener('message', ({ data }) => to.send(data))
  from.addEventListener('close', ({ code, reason }) => end(to, code, reason))
  from.addEventListener('error', () => end(to, BROKEN, ''))
  // The object answers a close itself.
  from.accept({ allowHalfOpen: true })
}

const BROKEN = 1011
/** Codes that say that there was no close frame, or that it had no code: none can be sent. */
const unsent = new Map([
  [1005, 1000],
  [1006, BROKEN],
])

function end(socket: PlainSocket, code: number, reason: string): void {
  try {
    socket.close(unsent.get(code) ?? code, reason)
  } catch {
    // It is closed already.
  }
}

export default {
  fetch: async (request: Request, { WORLDS }: Environment): Promise<Response> => {
    const name = nameIn(targetOf(request))
    // Each name that reaches its object leaves a file on workerd, world or not.
    if (name === undefined || !isWorldName(name))
      return Response.json({ error: nothing }, { status: 404 })
    const response = await WORLDS.get(WORLDS.idFromName(name)).fetch(request)
    const socket = socketOf(response)
    return socket === null ? response : relayed(socket, response)
  },
}
