// Which endpoint a client means whose request no endpoint answers: for the log.

import { profiles } from '../../spec/server/deployments.ts'
import type { Generation } from '../../spec/generations.ts'
import { endpointsOn } from '../../spec/server/endpoints.ts'
import type { Deployment } from '../../spec/language.ts'
import { nearest } from '../lib/nearest.ts'
import { allowedBy, findEndpoint, pathsOn, routesOn } from './routes.ts'

/** A hint for a request that no endpoint answers; undefined if one does, or if none is near. */
export function endpointHint(
  deployment: Deployment,
  method: string,
  path: string,
  generation?: Generation,
): string | undefined {
  const found = findEndpoint(routesOn(deployment, generation), method, path)
  if (found !== undefined)
    return found.name === undefined
      ? `this path takes ${allowedBy(found.methods).join(', ')}`
      : undefined
  const { prefix } = profiles.hosted
  const withPrefix = `${prefix}${path}`
  if (deployment === 'hosted' && findEndpoint(routesOn('hosted'), method, withPrefix) !== undefined)
    return `the hosted path is ${withPrefix}`
  const near = nearestPath(deployment, method, path, generation)
  return near && `the nearest endpoint is ${near}`
}

/** The nearest endpoint of this method, as `GET /path`. Its parameters match any segment. */
function nearestPath(
  deployment: Deployment,
  method: string,
  path: string,
  generation?: Generation,
): string | undefined {
  const segments = path.split('/')
  const paths = new Map<string, string>()
  for (const [, endpoint] of endpointsOn(deployment, generation)) {
    for (const one of pathsOn(deployment, endpoint)) {
      const filled = one.split('/').map((part, at) => (part.startsWith('{') ? segments[at] : part))
      const key = filled.join('/')
      if (endpoint.method === method || !paths.has(key)) paths.set(key, `${endpoint.method} ${one}`)
    }
  }
  return paths.get(nearest(path, paths.keys()) ?? '')
}
