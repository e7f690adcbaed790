// What a change of the subscriptions file does to the routes.

import { hasQuirk, isOpenAllowed, log, noteSecrets, type GatewayState } from './state.ts'
import { readFile, readRoute, type Route, usable } from './routes.ts'

/** Lets the text of a subscriptions file take effect; null when the file is gone. */
export function loadFile(state: GatewayState, text: string | null, modifiedMs: number): void {
  if (text === null) {
    state.dynamicRoutes = new Map()
    noteSecrets(state)
    return
  }
  const isOlder = modifiedMs <= state.fileModifiedMs
  if (isOlder && hasQuirk(state, 'webhooks.reload-only-newer')) return
  const given = readFile(text)
  if (given === undefined) {
    log(
      state,
      'error',
      'The subscriptions file is no JSON object of objects: its routes stay as they were.',
    )
    return
  }
  state.fileModifiedMs = modifiedMs
  const routes = new Map<string, Route>()
  for (const [name, value] of given) {
    if (state.staticRoutes.has(name)) continue
    const route = readRoute(name, value, state.options.secret)
    const fault = usable(route, isOpenAllowed(state.options))
    if (fault === undefined) routes.set(name, route)
    else log(state, 'warning', `The subscription "${name}" ${fault}: it is left out.`)
  }
  state.dynamicRoutes = routes
  noteSecrets(state)
  log(state, 'info', `Subscriptions loaded: ${[...routes.keys()].join(', ') || 'none'}.`)
}
