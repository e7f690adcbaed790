// Writes the OpenAPI documents from the spec: one for each server, with its paths as on the wire.

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
  Where,
} from '../../spec/language.ts'
import { bodiesOn, bodyOn, isPublic, isBeyondV1, pathOn, queryOn } from '../generate/replies-on.ts'
import { described, documented, holdsIn } from '../../spec/generations.ts'
import { areas, errors, gatewayAddress, profiles } from '../../spec/index.ts'
import { hostedError } from '../../spec/server/errors.ts'
import { endpoints as historyEndpoints } from '../../spec/server/history.ts'
import { endpoints as socketEndpoints } from '../../spec/server/messages.ts'
import { streamType } from '../../spec/v2/v2-streams.ts'
import { type Scheme, schemes } from '../../spec/gateway/signatures.ts'
import { addressVariables, type Part, schemaIn, schemasUsedBy } from './documents.ts'

const socketPath = socketEndpoints.socket.path

/** The title, the description and the address of each document's server. */
export const servers = {
  local: {
    url: `${profiles.local.scheme}://{host}:{port}`,
    description: 'the local server',
    variables: addressVariables.local,
  },
  hosted: {
    url: `${profiles.hosted.scheme}://{host}`,
    description: 'the hosted server',
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
  Object.entries<Scheme>(schemes).map(([name, { header }]) => [
    name,
    {
      type: 'apiKey',
      in: 'header',
      // A header of a family has the name of one member: a placeholder is not a valid header name.
      name: header.replace(/<(\w+)>/, 'Any'),
      description: `A signature of the sender: ${header}.`,
    },
  ]),
)

/** The credentials that each server accepts. */
const securitySchemes = {
  local: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'The token of the server, if it has one.',
    },
    token: {
      type: 'apiKey',
      in: 'query',
      name: 'token',
      description: 'The same token, for pages that cannot set a header.',
    },
  },
  hosted: {
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: keyHeader,
      description: 'The key of an account.',
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'The same key, for the other APIs.',
    },
  },
  gateway: signatureSchemes,
} as const satisfies Record<Place, Part>

/** Alternative credentials for a request; an empty one means that none is needed. */
function securityOf(place: Place, endpoint: Endpoint): readonly Part[] {
  if (place === 'gateway') {
    const isOpen = endpoint.path === '/health'
    return isOpen ? [] : Object.keys(schemes).map((name) => ({ [name]: [] }))
  }
  if (place === 'local') return [{}, { bearer: [] }, { token: [] }]
  if (isBeyondV1(endpoint)) return [{ bearer: [] }]
  return isPublic(endpoint) ? [] : [{ apiKey: [] }]
}

/** The media types of refusals with this status that are texts: some are HTML for clients that accept it. */
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
  if (body === 'stream') return { [streamType]: text }
  if (body === 'text') return Object.fromEntries(textTypes(status).map((type) => [type, text]))
  return { 'application/json': { schema: schemaIn(body) } }
}

/** Headers that a reply of that status needs to be useful. */
const headersByStatus: Readonly<Record<number, string>> = { 302: 'Location', 405: 'Allow' }

/** The content of a reply with several alternatives: with both schemas if they have the same media type. */
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

function requestBody(endpoint: Endpoint, on: Place): Part | undefined {
  const { form, bodyIsOptional } = endpoint
  const body = bodyOn(on, endpoint)
  if (body === undefined) return undefined
  // An empty body counts as bytes too.
  if (body === 'bytes') return { content: { 'application/octet-stream': {} } }
  const required = bodyIsOptional !== true
  const isForm = body === 'multipart'
  const schema = schemaIn((isForm ? form : body) as Schema)
  return {
    required,
    content: { [isForm ? 'multipart/form-data' : 'application/json']: { schema } },
  }
}

function parametersOf(on: Place, endpoint: Endpoint): readonly Part[] {
  const path = pathOn(on, endpoint)
  const canBeEmpty = on === 'hosted' && endpoint.hostedEmptyIsNone === true
  const variables = [...path.matchAll(/\{(\w+)(\.\.\.)?\}/g)]
  const inPath = variables.map(([, name, isRest]) => ({
    name,
    in: 'path',
    required: true,
    description: isRest
      ? 'The rest of the path, including slashes.'
      : 'One path segment, with slashes encoded.',
    schema: schemaIn(endpoint.parts?.[name ?? ''] ?? { type: 'string', minLength: 1 }),
  }))
  const inQuery = Object.entries(queryOn(on, endpoint)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: endpoint.requiredQuery?.includes(name) ?? false,
    allowEmptyValue: canBeEmpty,
    schema: schemaIn(schema),
  }))
  const inHeader = Object.entries(endpoint.headers ?? {}).map(([name, schema]) => ({
    name,
    in: 'header',
    required: false,
    schema: schemaIn(schema),
  }))
  return [...inPath, ...inQuery, ...inHeader]
}

type Operation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly security: readonly Part[]
  readonly responses: Readonly<Record<string, Part>>
}

/** Where the server violates its own schemas, in words and as members that tools can read. */
function marksOf(endpoint: Endpoint, on: Place): Part {
  const { replies, rejectsValid = [], acceptsInvalid = [] } = endpoint
  const marks: Readonly<Record<Mark, boolean>> = {
    'x-fails-on-invalid': on === 'local' && 500 in replies,
    'x-rejects-valid': rejectsValid.includes(on),
    'x-accepts-invalid': acceptsInvalid.includes(on),
  }
  const set = (Object.keys(marks) as Mark[]).filter((mark) => marks[mark])
  if (set.length === 0) return {}
  return {
    description: set.map((mark) => markSentences[mark]).join(' '),
    ...Object.fromEntries(set.map((mark) => [mark, true])),
  }
}

export type Mark = keyof typeof markSentences
const markSentences = {
  'x-fails-on-invalid': 'Returns 500 for some input that does not fit the schemas.',
  'x-rejects-valid': 'Returns 400 for some requests that fit the schemas.',
  'x-accepts-invalid': 'Accepts some requests that do not fit the schemas.',
} as const

const operation = (area: string, name: string, endpoint: Endpoint, on: Place): Operation => ({
  operationId: name,
  tags: [area],
  summary: endpoint.does,
  ...marksOf(endpoint, on),
  security: securityOf(on, endpoint),
  ...exchangePart(endpoint, on),
})

/** What a request to an endpoint contains, and its replies. */
export function exchangePart(endpoint: Endpoint, on: Place): Pick<Operation, 'responses'> {
  const parameters = parametersOf(on, endpoint)
  const body = requestBody(endpoint, on)
  const replies = Object.entries(bodiesOn(on, endpoint)).map(
    ([status, bodies]) => [status, replyPart(Number(status), bodies)] as const,
  )
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: Object.fromEntries(replies),
  }
}

/**
 * GET of a path that only supports POST: an unknown path on local [http/unknown-path], and on hosted the old history
 * [deployments/hosted-old-history]. It is documented because tools expect 405 for undocumented methods.
 */
function unserved({ path, on: places, method }: Endpoint, on: Place): Endpoint | undefined {
  const isOldHistory = path === historyEndpoints.changeHistory.path
  const isUnknown = on === 'local' ? method === 'POST' : on === 'hosted' && isOldHistory
  if (!isUnknown || !places.includes(on)) return undefined
  const replies = { 404: on === 'local' ? 'empty' : hostedError } as const
  return {
    method: 'GET',
    path,
    on: [on],
    does: 'Not served: the path supports POST only.',
    replies,
  }
}

type Area = { readonly rules: Rules; readonly endpoints?: Endpoints }
type Paths = Record<string, Record<string, Operation>>

/** All paths of a server except the socket, which OpenAPI cannot describe and asyncapi.json does. */
function pathsOf({ place: on, generation = described }: Where): Paths {
  const all: Paths = {}
  const add = (area: string, name: string, endpoint: Endpoint): void => {
    const methods = (all[pathOn(on, endpoint).replace('...}', '}')] ??= {})
    methods[endpoint.method.toLowerCase()] ??= operation(area, name, endpoint, on)
  }
  const found = Object.entries<Area>(areas).flatMap(([area, { endpoints = {} }]) =>
    Object.entries(endpoints)
      .filter(
        ([, one]) => one.on.includes(on) && one.path !== socketPath && holdsIn(generation, one),
      )
      .map(([name, endpoint]) => ({ area, name, endpoint })),
  )
  for (const { area, name, endpoint } of found) add(area, name, endpoint)
  for (const { area, name, endpoint } of found) {
    const get = unserved(endpoint, on)
    if (get !== undefined) add(area, `${name}NotServed`, get)
  }
  return all
}

/** Every server with a document: hosted ones and the gateway have one generation. */
export const everywhere: readonly Where[] = [
  ...documented.map((generation) => ({ place: 'local' as const, generation })),
  { place: 'hosted' },
  { place: 'gateway' },
]

export const license = { name: 'MIT', identifier: 'MIT' }
const socketIsElsewhere = 'The socket at /ws is described by asyncapi.json.'
export const membersMayBeMore = 'Objects can contain more members than their schemas name.'

const infos = {
  local: {
    title: 'Local workflow server',
    description:
      'The ComfyUI HTTP API on a local server. Every path is served below /api too, except those below ' +
      '/internal/. A path with GET supports HEAD with the same headers, and every path supports OPTIONS. ' +
      'Every operation returns 401 when the server has a token and the request lacks it, 403 to a page of ' +
      `another origin and 500 to an Origin that is not valid. ${membersMayBeMore} ${socketIsElsewhere}`,
  },
  hosted: {
    title: 'Hosted workflow server',
    description:
      'The ComfyUI HTTP API on a hosted server, below /api. Every path supports OPTIONS without a key; a ' +
      'method that a path does not support returns 405 in the format of all errors. ' +
      `${membersMayBeMore} ${socketIsElsewhere}`,
  },
  gateway: {
    title: 'Webhook gateway',
    description:
      'The webhook gateway: senders post events to its routes, each signed by one of the security schemes. ' +
      `The headers of the post determine which one applies. ${membersMayBeMore}`,
  },
} as const satisfies Record<Place, Part>

/** The title and the description of a document. That of later generations names the first of them. */
function infoOf({ place, generation = described }: Where): Part {
  const { title, description } = infos[place]
  return generation === described
    ? { title, description }
    : { title: `${title}, generation ${generation}`, description }
}

/** The whole document of one server. */
export function renderOpenapi(where: Where): Part {
  const { place: on } = where
  const paths = pathsOf(where)
  const tags = new Set(
    Object.values(paths)
      .flatMap(Object.values<Operation>)
      .flatMap((one) => one.tags),
  )
  return {
    openapi: '3.1.0',
    info: { ...infoOf(where), version: '1', license },
    servers: [servers[on]],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { schemas: schemasUsedBy(paths), securitySchemes: securitySchemes[on] },
  }
}
