// Writes the OpenAPI document of the control API from the spec.

import { controlEndpoints } from '../../spec/index.ts'
import type { Endpoint } from '../../spec/language.ts'
import { type Part, schemasUsedBy } from './documents.ts'
import {
  license,
  membersMayBeMore,
  parametersOf,
  replyPart,
  requestBody,
  servers,
} from './openapi.ts'

const controlOperations = Object.entries<Endpoint>(controlEndpoints).map(([name, endpoint]) => {
  const { method, path, on, does, replies } = endpoint
  const parameters = parametersOf('gateway', endpoint)
  const body = requestBody(endpoint, 'gateway')
  const places = on.length === 3 ? '' : ` On ${on.join(' and ')} only.`
  const operation = {
    operationId: name,
    summary: does + places,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: Object.fromEntries(
      Object.entries(replies).map(([status, one]) => [status, replyPart(Number(status), [one])]),
    ),
  }
  return { method: method.toLowerCase(), path, operation }
})

/** The document of the control API, which is the same below each server, gateway and world. */
export function renderControl(): Part {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { method, path, operation } of controlOperations)
    (paths[path] ??= {})[method] = operation
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API',
      description:
        'Requests to the test double itself. Programs on the same machine can send them; others need the control ' +
        'token. Each world has the same paths below its address, such as /w/NAME/_flowdouble/reset. ' +
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
