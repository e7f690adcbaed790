// Writes the OpenAPI document of the control API from the spec.

import { controlEndpoints } from '../../spec/index.ts'
import type { Endpoint } from '../../spec/language.ts'
import { type Part, schemasUsedBy } from './documents.ts'
import { exchangePart, license, membersMayBeMore, servers } from './openapi.ts'

/** The document of the control API, which is the same below each server, gateway and world. */
export function renderControl(): Part {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, endpoint] of Object.entries<Endpoint>(controlEndpoints)) {
    const { method, path, on, does } = endpoint
    const places = on.length === 3 ? '' : ` On ${on.join(' and ')} only.`
    const isOpen = endpoint.replies[403] === undefined
    const operation = {
      operationId: name,
      summary: does + places,
      ...(isOpen && { security: [] }),
      ...exchangePart(endpoint, 'gateway'),
    }
    ;(paths[path] ??= {})[method.toLowerCase()] = operation
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API',
      description:
        'Requests to the test double itself. Programs on the same machine can send them; others need the control ' +
        'token, except for health, readiness, metrics and version. Each world has the same paths below its address, such as /w/NAME/_flowdouble/reset. ' +
        'A request that cannot be served gets an error that says what to do instead. ' +
        membersMayBeMore,
      version: '1',
      license,
    },
    servers: [servers.local, servers.gateway],
    security: [{}, { controlToken: [] }],
    paths,
    components: {
      schemas: schemasUsedBy(paths),
      securitySchemes: {
        controlToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The control token, for programs on other machines.',
        },
      },
    },
  }
}
