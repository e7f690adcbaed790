// The entry point of a worker: passes each request to the object of its world. Experimental.

import { isWorldName, splitTarget } from '../worlds.ts'
import { bundledTypes } from '../fetch/create.ts'
import type { Environment, ObjectContext } from './runtime.ts'
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

export default {
  fetch: (request: Request, { WORLDS }: Environment): Response | Promise<Response> => {
    const name = nameIn(targetOf(request))
    // Each name that reaches its object leaves a file on workerd, world or not.
    if (name === undefined || !isWorldName(name))
      return Response.json({ error: nothing }, { status: 404 })
    return WORLDS.get(WORLDS.idFromName(name)).fetch(request)
  },
}
