// Which endpoint a client means whose request no endpoint answers: for the log.

import { profiles } from '../../spec/server/deployments.ts'
import { endpoints } from '../../spec/server/endpoints.ts'
import type { Deployment, Endpoint } from '../../spec/language.ts'
import { nearest } from '../lib/nearest.ts'
import { allowedBy, createRoutes, findEndpoint, pathsOn, type Routes } from './routes.ts'

const routes = new Map<Deployment, Routes>()

/** The routes of a deployment, created for the first request without an endpoint. */
function routesOn(deployment: Deployment): Routes {
  const known = routes.get(deployment) ?? createRoutes(deployment)
  routes.set(deployment, known)
  return known
}

/** A hint for a request that no endpoint answers; undefined if one does, or if none is near. */
export function endpointHint(
  deployment: Deployment,
  method: string,
  path: string,
): string | undefined {
  const found = findEndpoint(routesOn(deployment), method, path)
  if (found !== undefined)
    return found.name === undefined
      ? `this path takes ${allowedBy(found.methods).join(', ')}`
      : undefined
  const { prefix } = profiles.hosted
  const withPrefix = `${prefix}${path}`
  if (deployment === 'hosted' && findEndpoint(routesOn('hosted'), method, withPrefix) !== undefined)
    return `the hosted path is ${withPrefix}`
  const near = nearestPath(deployment, method, path)
  return near && `the nearest endpoint is ${near}`
}

/** The nearest endpoint of this method, as `GET /path`. Its parameters match any segment. */
function nearestPath(deployment: Deployment, method: string, path: string): string | undefined {
  const segments = path.split('/')
  const paths = new Map<string, string>()
  for (const endpoint of Object.values<Endpoint>(endpoints)) {
    if (!endpoint.on.includes(deployment)) continue
    for (const one of pathsOn(deployment, endpoint)) {
      const filled = one.split('/').map((part, at) => (part.startsWith('{') ? segments[at] : part))
      const key = filled.join('/')
      if (endpoint.method === method || !paths.has(key)) paths.set(key, `${endpoint.method} ${one}`)
    }
  }
  return paths.get(nearest(path, paths.keys()) ?? '')
}
