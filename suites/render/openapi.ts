// Writes the OpenAPI document out of the spec: each endpoint once for each deployment that serves it.

import { STATUS_CODES } from 'node:http'
import { keyHeader } from '../../spec/server/access.ts'
import type {
  Endpoint,
  Endpoints,
  Place,
  Refusal,
  ReplyBody,
  Rules,
  Schema,
} from '../../spec/language.ts'
import { bodiesOn, isPublic, pathOn } from '../generate/replies-on.ts'
import { areas, errors, gatewayAddress, profiles } from '../../spec/index.ts'
import { type Scheme, schemes } from '../../spec/gateway/signatures.ts'
import { addressVariables, type Part, schemaIn, schemasUsedBy } from './documents.ts'

const servers = {
  local: {
    url: `${profiles.local.scheme}://{host}:{port}`,
    description: `local: every path is served below ${profiles.local.twin} too, but for /internal/`,
    variables: addressVariables.local,
  },
  hosted: {
    url: `${profiles.hosted.scheme}://{host}`,
    description: 'hosted',
    variables: addressVariables.hosted,
  },
  gateway: {
    url: `${gatewayAddress.scheme}://{host}:{port}`,
    description: 'the webhook gateway',
    variables: addressVariables.gateway,
  },
} as const satisfies Record<Place, Part>

/** The signatures of webhooks, each under the name of its scheme. */
const signatureSchemes = Object.fromEntries(
  Object.entries<Scheme>(schemes).map(([name, { signature }]) => [
    name,
    { type: 'apiKey', in: 'header', name: signature, description: 'A signature of the sender.' },
  ]),
)

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: keyHeader, description: 'The key of an account.' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of the server, if it has one.',
  },
  token: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'What a page can send: on local the token, at the hosted socket the key.',
  },
  ...signatureSchemes,
} as const satisfies Part

/** What lets a request in, as alternatives; an empty one needs nothing. */
function securityOf(place: Place, endpoint: Endpoint): readonly Part[] {
  if (place === 'gateway') {
    const isOpen = endpoint.path === '/health'
    return isOpen ? [] : Object.keys(schemes).map((name) => ({ [name]: [] }))
  }
  if (place === 'local') return [{}, { bearer: [] }, { token: [] }]
  if (endpoint.path === '/ws') return [{ token: [] }]
  return isPublic(endpoint) ? [] : [{ apiKey: [] }]
}

/** The media types of the refusals that are texts of this status: some are pages for those who ask for them. */
function textTypes(status: number): readonly string[] {
  const own = Object.values<Refusal>(errors.refusals)
    .filter((refusal) => refusal.status === status)
    .map(({ headers }) => headers?.['Content-Type']?.split(';')[0] ?? '')
    .filter((type) => type.startsWith('text/'))
  return [...new Set(['text/plain', ...own])]
}

const text = { schema: { type: 'string' } }

function contentOf(status: number, body: ReplyBody): Part {
  if (body === 'empty') return {}
  if (body === 'bytes') return { '*/*': {} }
  if (body === 'html') return { 'text/html': text }
  if (body === 'text') return Object.fromEntries(textTypes(status).map((type) => [type, text]))
  return { 'application/json': { schema: schemaIn(body) } }
}

/** Headers without which a reply of that status is of no use. */
const headersByStatus: Readonly<Record<number, string>> = {
  302: 'Location',
  405: 'Allow',
}

/** The content of a reply that has either: with both schemas where they are of one media type. */
function together(one: Part, other: Part): Part {
  const both = Object.entries(other).map(([type, part]) => {
    const schemas = [one[type], part].map((of) => (of as Part | undefined)?.['schema'])
    return [type, schemas.includes(undefined) ? part : { schema: { anyOf: schemas } }]
  })
  return { ...one, ...Object.fromEntries(both) }
}

function replyPart(status: number, bodies: readonly ReplyBody[]): Part {
  const content = bodies.map((body) => contentOf(status, body)).reduce(together)
  const isEmpty = bodies.every((body) => body === 'empty')
  const header = headersByStatus[status]
  return {
    description: `${STATUS_CODES[status] ?? status}${isEmpty ? ', without a body' : ''}`,
    ...(header && { headers: { [header]: { schema: { type: 'string' } } } }),
    ...(Object.keys(content).length > 0 && { content }),
  }
}

function requestBody({ body, form, bodyIsOptional }: Endpoint): Part | undefined {
  if (body === undefined) return undefined
  // No bytes are bytes as well.
  if (body === 'bytes') return { content: { 'application/octet-stream': {} } }
  const required = bodyIsOptional !== true
  const isForm = body === 'multipart'
  const schema = schemaIn((isForm ? form : body) as Schema)
  return {
    required,
    content: { [isForm ? 'multipart/form-data' : 'application/json']: { schema } },
  }
}

const variables = (path: string) => [...path.matchAll(/\{(\w+)(\.\.\.)?\}/g)]

function parametersOf(path: string, { query = {} }: Endpoint): readonly Part[] {
  const inPath = variables(path).map(([, name, isRest]) => ({
    name,
    in: 'path',
    required: true,
    description: isRest ? 'All that follows, with its slashes.' : 'One part, its slashes encoded.',
    schema: { type: 'string', minLength: 1 },
  }))
  const inQuery = Object.entries(query).map(([name, schema]) => ({
    name,
    in: 'query',
    schema: schemaIn(schema),
  }))
  return [...inPath, ...inQuery]
}

type Operation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly servers: readonly Part[]
  readonly security: readonly Part[]
  readonly responses: Readonly<Record<string, Part>>
}

function operation(area: string, name: string, endpoint: Endpoint, on: Place): Operation {
  const parameters = parametersOf(pathOn(on, endpoint), endpoint)
  const body = requestBody(endpoint)
  const replies = Object.entries(bodiesOn(on, endpoint))
  return {
    operationId: on !== 'hosted' ? name : `hosted${name[0]?.toUpperCase()}${name.slice(1)}`,
    tags: [on, area],
    summary: endpoint.does,
    servers: [servers[on]],
    security: securityOf(on, endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: Object.fromEntries(
      replies.map(([status, bodies]) => [status, replyPart(Number(status), bodies)]),
    ),
  }
}

const union = <T>(...lists: readonly (readonly T[])[]): T[] => {
  const byText = new Map(lists.flat().map((one) => [JSON.stringify(one), one]))
  return [...byText.values()]
}

/** One operation for a path that both deployments have: it takes and gives what either does. */
function merged(a: Operation, b: Operation): Operation {
  const statuses = Object.keys({ ...a.responses, ...b.responses })
  const both = (status: string): Part => {
    const [one, other] = [a.responses[status], b.responses[status]]
    const content = { ...(one?.['content'] as Part), ...(other?.['content'] as Part) }
    return { ...other, ...one, ...(Object.keys(content).length > 0 && { content }) }
  }
  return {
    ...a,
    tags: union(a.tags, b.tags),
    servers: union(a.servers, b.servers),
    security: union(a.security, b.security),
    responses: Object.fromEntries(statuses.map((status) => [status, both(status)])),
  }
}

type Area = { readonly rules: Rules; readonly endpoints?: Endpoints }

function paths(): Record<string, Record<string, Operation>> {
  const all: Record<string, Record<string, Operation>> = {}
  const ofAreas: [string, Area][] = Object.entries(areas)
  for (const [area, { endpoints = {} }] of ofAreas) {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      for (const on of endpoint.on) {
        const methods = (all[pathOn(on, endpoint).replace('...}', '}')] ??= {})
        const method = endpoint.method.toLowerCase()
        const own = operation(area, name, endpoint, on)
        methods[method] = methods[method] === undefined ? own : merged(methods[method], own)
      }
    }
  }
  return all
}

const license = { name: 'MIT', identifier: 'MIT' }
const about =
  'What clients of a workflow server (the API that ComfyUI speaks) meet on HTTP, on the local and on the ' +
  'hosted deployment: each operation has its server, and the name of it as a tag. On local a path with GET ' +
  'answers HEAD with the same headers, every path answers OPTIONS, and a reply of 403 besides those of the ' +
  'operation is for a page of another origin, one of 401 for a missing token. On hosted each path answers OPTIONS without a key, and a method that it does not take ' +
  'with 405, in the form of all refusals. Objects may carry more ' +
  'members than their schemas tell. The webhook gateway is a server of its own.'

/** The whole document. */
export function renderOpenapi(): Part {
  const everyPath = paths()
  const tags = [...new Set(Object.values(everyPath).flatMap(Object.values<Operation>))]
  return {
    openapi: '3.1.0',
    info: { title: 'Workflow server', version: '1', license, description: about },
    servers: Object.values(servers),
    tags: union(tags.flatMap((one) => one.tags)).map((name) => ({ name })),
    paths: everyPath,
    components: { schemas: schemasUsedBy(everyPath), securitySchemes },
  }
}
