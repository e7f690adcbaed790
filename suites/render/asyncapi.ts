// Writes the AsyncAPI document from the spec: the socket of each deployment, with its messages and binary frames.

import { frames, messages, order, profiles, receivers } from '../../spec/index.ts'
import { previewMetadata } from '../../spec/server/frames.ts'
import {
  both,
  type Deployment,
  type Frame,
  type Message,
  type Schema,
} from '../../spec/language.ts'
import { pathOn } from '../generate/replies-on.ts'
import { addressVariables, type Part, schemaIn, schemasUsedBy } from './documents.ts'
import { endpoints } from '../../spec/server/messages.ts'
import { fieldText, whoReceives } from './messages.ts'

const ref = (...path: string[]): Part => ({ $ref: ['#', ...path].join('/') })

const servers = {
  local: {
    host: '{host}:{port}',
    protocol: profiles.local.socketScheme,
    variables: addressVariables.local,
    security: [ref('components', 'securitySchemes', 'bearer'), token()],
    description: 'A token is needed only if the server has one.',
  },
  hosted: {
    host: '{host}',
    protocol: profiles.hosted.socketScheme,
    variables: addressVariables.hosted,
    security: [token()],
  },
} as const satisfies Record<Deployment, Part>

function token(): Part {
  return ref('components', 'securitySchemes', 'token')
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  token: {
    type: 'httpApiKey',
    in: 'query',
    name: 'token',
    description: 'For a local server its token, for the hosted server the key of the account.',
  },
} as const satisfies Part

/** A message of the server: `{type, data}`. */
function messagePart(type: keyof typeof messages, deployment?: Deployment): Part {
  const { when, data, hostedData }: Message = messages[type]
  return {
    name: type,
    title: type,
    summary: when,
    description: `On a local server it goes to: ${whoReceives[receivers[type]]}.`,
    contentType: 'application/json',
    payload: envelope(type, deployment === 'hosted' ? (hostedData ?? data) : data),
  }
}

const messageTypes = Object.keys(messages) as (keyof typeof messages)[]
/** The messages whose data differs on hosted: they have separate names there. */
const ownOnHosted: ReadonlySet<string> = new Set(
  messageTypes.filter((type) => 'hostedData' in messages[type]),
)
const componentName = (deployment: Deployment, type: string): string =>
  deployment === 'hosted' && ownOnHosted.has(type) ? `hosted_${type}` : type

const envelope = (type: string, data: Schema): Part => ({
  type: 'object',
  properties: { type: { const: type }, data: schemaIn(data) },
  required: ['type', 'data'],
})

/** A binary message. No schema describes bytes: the layout is in the description, and as data in `x-layout`. */
function framePart(name: string, { type, when, fields }: Frame): Part {
  const layout = fields.map((field) => `${field.name}: ${fieldText(field)}`)
  return {
    name,
    title: name,
    summary: when,
    description: `A binary frame, numbers big-endian. type: 4 bytes, ${type}; ${layout.join('; ')}.`,
    contentType: 'application/octet-stream',
    payload: { type: 'string', contentEncoding: 'binary' },
    'x-layout': { type, fields },
    ...(fields.some(({ is }) => is === 'prefixed-json') && {
      'x-metadata': schemaIn(previewMetadata),
    }),
  }
}

const frameNames = Object.keys(frames)
const sentOn = (deployment: Deployment): readonly string[] =>
  Object.entries<Message>(messages)
    .filter(([, { on }]) => on.includes(deployment))
    .map(([type]) => type)
    .concat(frameNames)

/** The only client message that has an effect. */
const flagsOfClient = {
  name: 'feature_flags',
  title: 'feature_flags of the client',
  summary: 'The optional first message of a client: the features that it supports.',
  contentType: 'application/json',
  payload: envelope('feature_flags', messages.feature_flags.data),
} as const satisfies Part

function channelPart(deployment: Deployment): Part {
  const names = [...sentOn(deployment), 'client_feature_flags']
  const { query, does } = endpoints.socket
  const properties = Object.fromEntries(
    Object.entries(query).map(([name, schema]) => [name, schemaIn(schema)]),
  )
  return {
    address: pathOn(deployment, endpoints.socket),
    servers: [ref('servers', deployment)],
    summary: does,
    messages: Object.fromEntries(
      names.map((name) => [name, ref('components', 'messages', componentName(deployment, name))]),
    ),
    bindings: { ws: { method: 'GET', query: { type: 'object', properties } } },
    'x-order': order[deployment],
  }
}

function operationParts(deployment: Deployment): Part {
  const channel = ref('channels', deployment)
  const inChannel = (name: string) => ref('channels', deployment, 'messages', name)
  return {
    [`${deployment}Sends`]: {
      action: 'send',
      channel,
      summary:
        'Messages that the server sends. The messages of one run follow x-order of the channel.',
      messages: sentOn(deployment).map(inChannel),
    },
    [`${deployment}Receives`]: {
      action: 'receive',
      channel,
      summary: 'Messages that the server reads.',
      messages: [inChannel('client_feature_flags')],
    },
  }
}

const about =
  'The socket of a workflow server with the ComfyUI WebSocket API: JSON messages as text frames, previews ' +
  'and texts as binary frames. Described from the perspective of the server.'

/** The whole document. */
export function renderAsyncapi(): Part {
  const named = {
    ...Object.fromEntries(
      both.flatMap((deployment) =>
        messageTypes.map((type) => [
          componentName(deployment, type),
          messagePart(type, deployment),
        ]),
      ),
    ),
    ...Object.fromEntries(
      Object.entries<Frame>(frames).map(([name, frame]) => [name, framePart(name, frame)]),
    ),
    client_feature_flags: flagsOfClient,
  }
  return {
    asyncapi: '3.0.0',
    info: { title: 'Socket of a workflow server', version: '1', description: about },
    defaultContentType: 'application/json',
    servers,
    channels: Object.fromEntries(both.map((name) => [name, channelPart(name)])),
    operations: Object.assign({}, ...both.map(operationParts)) as Part,
    components: { messages: named, schemas: schemasUsedBy(named), securitySchemes },
  }
}
