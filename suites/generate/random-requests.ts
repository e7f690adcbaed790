// Generates requests and messages: almost valid, wrong in one place, or nonsense.

import { deflateSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { keyHeader } from '../../spec/server/access.ts'
import { endpointsOn } from '../../spec/server/endpoints.ts'
import type { Deployment } from '../../spec/language.ts'
import { formOf, type Part } from './form.ts'
import { failing, textToImage } from './graphs.ts'
import { bodiesOn, pathOn, queryOn } from './replies-on.ts'

/** The endpoints of a server that answer a request, not a handshake. */
const requestable = (deployment: Deployment) =>
  endpointsOn(deployment).flatMap(([, one]) => (one.path === '/ws' ? [] : [one]))

/** All statuses of the endpoints there. */
export const statusesOn = (deployment: Deployment): number[] =>
  requestable(deployment).flatMap((one) => Object.keys(bodiesOn(deployment, one)).map(Number))

const word = fc.constantFrom(
  'example.png',
  'input',
  '..',
  '%2e%2e',
  '',
  'KSampler',
  'checkpoints',
  '%00',
  '%zz',
  'ü',
  'a%2Fb',
  'mine',
  '1',
  '-1',
  'x'.repeat(3000),
)
const pathsOn = (deployment: Deployment) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...requestable(deployment).map((one) => pathOn(deployment, one))),
          word,
        )
        .map(([one, filled]) => one.replace(/\{[^}]*\}/g, filled)),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '/',
        '//x',
        '/../x',
        '*',
        '/nowhere',
        '/api',
        'http://here/queue',
        '/ws',
      ),
    },
    {
      weight: 1,
      arbitrary: fc.array(word, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
    },
  )
/** The parameters of all endpoints there. */
const namesOn = (deployment: Deployment): readonly string[] => [
  ...new Set(endpointsOn(deployment).flatMap(([, one]) => Object.keys(queryOn(deployment, one)))),
]
const queryFor = (deployment: Deployment) =>
  fc.array(fc.tuple(fc.constantFrom(...namesOn(deployment)), word), { maxLength: 3 })
const methods = [
  'GET',
  'POST',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  'PATCH',
  'TRACE',
  'QUERY',
  'FOO',
]

/** JSON that is nearly what some endpoint requires. */
const key = fc.constantFrom(
  'prompt',
  'client_id',
  'extra_data',
  'number',
  'clear',
  'delete',
  'prompt_id',
  'git_url',
  'url',
  'class_type',
  'inputs',
  '3',
  'front',
  'partial_execution_targets',
)
const graph = fc.constantFrom<unknown>(
  textToImage(),
  failing(),
  {},
  { '1': { class_type: 'LoadImage', inputs: { image: 'x' } } },
)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    {
      weight: 3,
      arbitrary: fc.oneof(
        graph,
        fc.string({ maxLength: 8 }),
        fc.double(),
        fc.constantFrom(null, true, 1e300, 'me'),
      ),
    },
    { weight: 2, arbitrary: fc.dictionary(key, tie('value'), { maxKeys: 4 }) },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
  ),
}))
const jsonBody = fc
  .tuple(value, fc.nat(200), fc.constantFrom('', '', '{', '\0', '"', 'NaN'))
  .map(([one, at, cut]) => {
    const text = JSON.stringify(one)
    return Buffer.from(cut === '' ? text : text.slice(0, at) + cut + text.slice(at + 1))
  })
const part: fc.Arbitrary<Part> = fc
  .tuple(fc.constantFrom('image', 'type', 'subfolder', 'overwrite'), word, fc.boolean(), word)
  .map(([name, filename, isFile, content]) =>
    isFile ? { name, filename, content } : { name, content },
  )
const multipart = fc.array(part, { maxLength: 3 })

type SentRequest = { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> }
const body: fc.Arbitrary<SentRequest> = fc.oneof(
  jsonBody.map((bytes) => ({ body: bytes, headers: {} })),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => ({ body: bytes, headers: {} })),
  multipart.map((parts) => {
    const [bytes, headers] = formOf(...parts)
    return { body: bytes, headers }
  }),
  jsonBody.map((bytes) => ({ body: gzipSync(bytes), headers: { 'Content-Encoding': 'gzip' } })),
  jsonBody.map((bytes) => ({
    body: deflateSync(bytes).subarray(1),
    headers: { 'Content-Encoding': 'deflate' },
  })),
)
const header = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  {},
  {},
  { Origin: 'http://evil.example' },
  { Origin: 'http://127.0.0.1:bad' },
  { 'Content-Type': 'text/plain; charset=nonsense' },
  { 'Content-Type': 'multipart/form-data' },
  { Accept: 'text/html' },
  { Range: 'bytes=9-1', 'If-None-Match': '*' },
  { Upgrade: 'h2c', Connection: 'close, upgrade' },
  { 'Transfer-Encoding': 'chunked' },
  { 'Content-Length': '-3' },
  { Expect: '100-continue' },
  { 'X-Long': 'x'.repeat(9000) },
)

export type RandomRequest = {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Whole requests: what their headers say about the body leaves nothing to wait for. */
export const someRequestOn = (deployment: Deployment): fc.Arbitrary<RandomRequest> =>
  fc
    .record({
      method: fc.constantFrom('GET', 'POST', 'POST', ...methods),
      path: pathsOn(deployment),
      query: queryFor(deployment),
      header,
      credential: deployment === 'hosted' ? credential : fc.constant({}),
      sent: body,
      prefix: deployment === 'hosted' ? fc.constant('') : fc.constantFrom('', '', '/api'),
    })
    .map(build)

const credential = fc
  .constantFrom('test-key', 'test-key', 'test-key', 'test-key-free', 'wrong-key')
  .map((known) => ({ [keyHeader]: known }))

type Parts = {
  readonly method: string
  readonly path: string
  readonly query: readonly (readonly [name: string, text: string])[]
  readonly header: Readonly<Record<string, string>>
  readonly credential: Readonly<Record<string, string>>
  readonly sent: SentRequest
  readonly prefix: string
}

function build({
  method,
  path,
  query,
  header,
  credential: own,
  sent,
  prefix,
}: Parts): RandomRequest {
  const asked = query.map(([name, text]) => `${name}=${text}`).join('&')
  const place = path.startsWith('/') ? prefix + path : path
  const target = asked === '' ? place : `${place}?${asked}`
  const isChunked = 'Transfer-Encoding' in header
  const length = isChunked ? {} : { 'Content-Length': `${sent.body.length}` }
  const bytes = isChunked ? chunked(sent.body) : sent.body
  const headers = { ...length, ...sent.headers, ...own, ...header }
  return { method, target, headers, body: bytes }
}

/** One chunk and the end; without a body, something that is not a chunk. */
function chunked(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return Buffer.from('zz\r\n\r\n')
  const size = Buffer.from(`${bytes.length.toString(16)}\r\n`)
  return Buffer.concat([size, bytes, Buffer.from('\r\n0\r\n\r\n')])
}

/** Frames of a client by opcode: JSON, control frames of any length, and opcodes that do not exist. */
export const someMessage = fc.oneof(
  jsonBody.map((bytes) => ({ opcode: 1, bytes })),
  fc.record({
    opcode: fc.constantFrom(0, 1, 2, 3, 8, 9, 10, 15),
    bytes: fc.uint8Array({ maxLength: 130 }),
  }),
  fc.constant({
    opcode: 1,
    bytes: Buffer.from('{"type": "feature_flags", "data": {"supports_preview_metadata": true}}'),
  }),
)
