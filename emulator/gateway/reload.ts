// What a change of the subscriptions file does to the routes.

import { hasQuirk, isOpenAllowed, type GatewayWorld } from './state.ts'
import { log } from './log.ts'
import { noteSecrets } from './secrets.ts'
import { readFile, readRoute, type Route, usable } from './routes.ts'

/** Lets the text of a subscriptions file take effect; null when the file is gone. */
export function loadFile(world: GatewayWorld, text: string | null, modifiedMs: number): void {
  if (text === null) {
    world.state.dynamicRoutes = new Map()
    noteSecrets(world)
    return
  }
  const isOlder = modifiedMs <= world.state.fileModifiedMs
  if (isOlder && hasQuirk(world, 'webhooks.reload-only-newer')) return
  const given = readFile(text)
  if (given === undefined) {
    log(
      world,
      'error',
      'The subscriptions file is no JSON object of objects: its routes stay as they were.',
    )
    return
  }
  world.state.fileModifiedMs = modifiedMs
  const routes = new Map<string, Route>()
  for (const [name, value] of given) {
    if (world.setup.staticRoutes.has(name)) continue
    const route = readRoute(name, value, world.setup.options.secret)
    const fault = usable(route, isOpenAllowed(world.setup.options))
    if (fault === undefined) routes.set(name, route)
    else log(world, 'warning', `The subscription "${name}" ${fault}: it is left out.`)
  }
  world.state.dynamicRoutes = routes
  noteSecrets(world)
  log(world, 'info', `Subscriptions loaded: ${[...routes.keys()].join(', ') || 'none'}.`)
}
