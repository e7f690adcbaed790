// What a change of the subscriptions file does to the routes.

import { hasQuirk, isOpenAllowed, log, noteSecrets, type Receiver } from './state.ts'
import { readFile, readRoute, type Route, usable } from './routes.ts'

/** Lets the text of a subscriptions file take effect; null when the file is gone. */
export function loadFile(receiver: Receiver, text: string | null, modifiedMs: number): void {
  if (text === null) {
    receiver.dynamicRoutes = new Map()
    noteSecrets(receiver)
    return
  }
  const isOlder = modifiedMs <= receiver.fileModifiedMs
  if (isOlder && hasQuirk(receiver, 'webhooks.reload-only-newer')) return
  const given = readFile(text)
  if (given === undefined) {
    log(
      receiver,
      'error',
      'The subscriptions file is no JSON object of objects: its routes stay as they were.',
    )
    return
  }
  receiver.fileModifiedMs = modifiedMs
  const routes = new Map<string, Route>()
  for (const [name, value] of given) {
    if (receiver.staticRoutes.has(name)) continue
    const route = readRoute(name, value, receiver.options.secret)
    const fault = usable(route, isOpenAllowed(receiver.options))
    if (fault === undefined) routes.set(name, route)
    else log(receiver, 'warning', `The subscription "${name}" ${fault}: it is left out.`)
  }
  receiver.dynamicRoutes = routes
  noteSecrets(receiver)
  log(receiver, 'info', `Subscriptions loaded: ${[...routes.keys()].join(', ') || 'none'}.`)
}
