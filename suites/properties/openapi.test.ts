// The published OpenAPI documents list everything that their servers return: status, media type and body of each reply.

import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import type { EmulatorOptions } from 'flowdouble'
import { describe, expect, test } from 'vitest'
import { keyHeader } from '../../spec/server/access.ts'
import hostedDocument from '../../spec/openapi.hosted.json' with { type: 'json' }
import localDocument from '../../spec/openapi.local.json' with { type: 'json' }
import { formOf } from '../generate/form.ts'
import { valuesOf } from '../generate/from-schema.ts'
import { solid } from '../generate/graphs.ts'
import { startSubject, type Subject } from '../judge/subject.ts'
import type { Reply } from '../judge/reply.ts'
import { isLong } from '../support/effort.ts'

type Part = Readonly<Record<string, any>>
type Payload = {
  readonly body: string | Buffer | undefined
  readonly headers: Readonly<Record<string, string>>
}
type Request = { readonly target: string; readonly payload: Payload }

/** Texts that are meaningful to the server, so that not all replies are refusals. */
const commonWords = ['example.png', 'checkpoints', 'LoadImage', 'input', '../up']

type Operation = {
  readonly document: Part
  readonly path: string
  readonly method: string
  readonly operation: Part
}

const operationsOf = (document: Part) =>
  Object.entries<Part>(document['paths']).flatMap(([path, methods]) =>
    Object.entries<Part>(methods).map(([method, operation]): [title: string, one: Operation] => [
      `${method} ${path}`,
      { document, path, method, operation },
    ]),
  )
const local = operationsOf(localDocument)
const hosted = operationsOf(hostedDocument)

const ajv = new Ajv2020({ strict: false })
/** The name by which its schemas are found. */
const nameOf = ({ info }: Part): string => info.title.replaceAll(' ', '-')
for (const document of [localDocument, hostedDocument]) ajv.addSchema(document, nameOf(document))
const pointer = (...keys: readonly string[]) =>
  keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')

/** What the document does not list about a reply to this operation, as sentences. */
function undocumented({ document, path, method, operation }: Operation, reply: Reply): string[] {
  const documented: Part | undefined = operation['responses'][reply.status]
  if (documented === undefined) return [`status ${reply.status}`]
  if (method === 'head') return reply.text === '' ? [] : [`a body: ${reply.text}`]
  const type = reply.headers['content-type']?.split(';')[0] ?? ''
  if (documented['content'] === undefined) return reply.text === '' ? [] : [`a body: ${reply.text}`]
  const known = type in documented['content'] ? type : '*/*'
  if (documented['content'][known] === undefined) return [`the type ${type} of ${reply.status}`]
  if (known !== 'application/json') return []
  const at = ['paths', path, method, 'responses', String(reply.status), 'content', known, 'schema']
  // Ajv compiles the schema at an address once.
  const validate = ajv.getSchema(`${nameOf(document)}#/${pointer(...at)}`)
  if (validate === undefined) throw new Error(`The document has no ${at.join(' ')}.`)
  return validate(reply.json()) === true ? [] : [`the body: ${ajv.errorsText(validate.errors)}`]
}

function payloads(document: Part, content: Part, words: readonly string[]): fc.Arbitrary<Payload> {
  const [type = '', { schema = {} } = {}] = Object.entries<Part>(content)[0] ?? []
  if (type === 'application/octet-stream')
    return fc.uint8Array().map((bytes) => ({ body: Buffer.from(bytes), headers: {} }))
  const values = valuesOf(schema, document, words)
  if (type === 'multipart/form-data') return values.map(formRequest)
  const headers = { 'Content-Type': 'application/json' }
  const texts = fc.oneof(
    { weight: 4, arbitrary: values.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string() },
  )
  return texts.map((body) => ({ body, headers }))
}

function formRequest(fields: Readonly<Record<string, unknown>>): Payload {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((item) => {
      const content = typeof item === 'string' ? item : JSON.stringify(item)
      const isFile = name === 'image' || name === 'file'
      return isFile ? { name, filename: 'example.png', content } : { name, content }
    }),
  )
  const [body, headers] = formOf(...parts)
  return { body, headers }
}

function requests(
  { document, path, operation }: Operation,
  words: readonly string[],
): fc.Arbitrary<Request> {
  const parameters: readonly Part[] = operation['parameters'] ?? []
  const values: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(
    parameters.map(({ name, schema }) => {
      const values = parameterValues(schema, document, words)
      const known = routerModel[name]
      if (known === undefined) return [name, values]
      return [name, fc.oneof({ weight: 9, arbitrary: fc.constant(known) }, values)]
    }),
  )
  const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name)
  const content: Part | undefined = operation['requestBody']?.content
  const noBody = fc.constant({ body: undefined, headers: {} })
  return fc
    .tuple(
      fc.record(values, { requiredKeys }),
      content === undefined
        ? noBody
        : fc.oneof({ weight: 9, arbitrary: payloads(document, content, words) }, noBody),
    )
    .map(([given, payload]) => ({ target: targetOf(path, parameters, given), payload }))
}

/** The parts of the path of a model that hosted servers have. */
const routerModel: Readonly<Record<string, string>> = { provider: 'bfl', model: 'flux-2-pro' }

/** Values of a parameter; now and then a word that does not fit. */
const parameterValues = (schema: Part, document: Part, words: readonly string[]) =>
  fc.oneof(
    { weight: 9, arbitrary: valuesOf(schema, document, words) },
    { weight: 1, arbitrary: fc.constantFrom(...words) },
  )

/** The path with its parts filled in. Clients would resolve dots before they send them. */
function targetOf(path: string, parameters: readonly Part[], given: Part): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(given[name]).replace(/^\.+$/, 'dots'),
  )
  const query = parameters.filter((one) => one['in'] === 'query' && one['name'] in given)
  const pairs = query.map(({ name }): [string, string] => [name, String(given[name])])
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`
}

/** One request is enough if there is nothing to vary. */
const runsOf = ({ operation }: Operation) =>
  'parameters' in operation || 'requestBody' in operation ? (isLong ? 30 : 16) : 1

/** Makes words meaningful: a run, settings and files with such names. Returns the words. */
async function furnish(
  { deployment, request, raw, post, submit }: Subject,
  { path }: Operation,
): Promise<string[]> {
  const { prompt_id } = (await submit(solid(), { prompt_id: 'example.png' })).json()
  if (deployment === 'hosted') await post('/settings', { checkpoints: 1 })
  await request('POST', '/userdata/example.png', Buffer.from('text'))
  await request('POST', '/userdata/checkpoints%2Fexample.png', Buffer.from('text'))
  if (path.startsWith('/api/secrets/'))
    return [(await post('/secrets', { name: 'a', secret_value: 'b' })).json().id]
  if (/^\/api\/workflows|publish$/.test(path)) return furnishWorkflows(post)
  if (path.startsWith('/v2/models/')) {
    const of = `/v2/models/${Object.values(routerModel).join('/')}/requests`
    const made = await raw('POST', of, '{"prompt":"a"}', { [keyHeader]: 'test-key' })
    return [made.json().request_id]
  }
  if (path.startsWith('/proxy/')) {
    const task = await raw('POST', '/proxy/luma/generations', '{}', { [keyHeader]: 'test-key' })
    return [task.json().id]
  }
  if (/^\/api\/(assets|tasks)/.test(path)) return furnishAssets(request)
  if (!path.startsWith('/api/v2/')) return [...commonWords, prompt_id]
  const fields = { content_type: 'text/plain', file: 'a text' }
  const { body, headers } = formRequest(fields)
  const bearer = { ...headers, Authorization: 'Bearer test-key' }
  const { id, hash } = (await raw('POST', '/api/v2/assets', body, bearer)).json()
  return [prompt_id, id, hash]
}

/** Saves a workflow and publishes another one. Returns the words for their paths. */
async function furnishWorkflows(post: Subject['post']): Promise<string[]> {
  const { id } = (await post('/workflows', { workflow_json: {} })).json()
  await post('/userdata/a.json', {})
  const { share_id } = (await post('/userdata/a.json/publish', { asset_ids: [] })).json()
  return [id, share_id, 'a.json']
}

/** Uploads an asset and exports it. Returns the words for its paths. */
async function furnishAssets(request: Subject['request']): Promise<string[]> {
  const { body, headers } = formRequest({ file: 'a text' })
  const { id, hash } = (await request('POST', '/assets', body?.toString(), headers)).json()
  const ids = JSON.stringify({ asset_ids: [id] })
  const { task_id } = (await request('POST', '/assets/export', ids)).json()
  const { result } = (await request('GET', `/tasks/${task_id}`)).json()
  return [id, hash, task_id, result.export_name, 'https://models.example/a.safetensors']
}

async function inWorld(
  options: EmulatorOptions,
  use: (subject: Subject) => Promise<void>,
): Promise<void> {
  const subject = await startSubject({ clock: 'instant', ...options })
  try {
    await use(subject)
  } finally {
    await subject.close()
  }
}

/**
 * These require more than a fitting request: a workflow, a model with a picture or with texts, a picture, a mask, a code,
 * a cookie, filters without a contradiction, a URL, or a task that runs.
 */
const neverWell = new Set([
  'get /experiment/models/preview/{folder}/{path_index}/{filename}',
  'get /api/experiment/models/preview/{folder}/{path_index}/{filename}',
  'get /api/global_subgraphs/{id}',
  'get /api/files/mask-layers',
  'get /api/assets',
  'delete /api/tasks/{id}',
  'post /api/assets/download',
  'get /api/assets/tags/refine',
  'get /api/tasks',
  'post /api/assets',
  'post /api/assets/from-hash',
  'post /api/upload/mask',
  'post /oauth/token',
  'get /api/auth/session',
  'delete /api/auth/session',
  'post /api/v2/jobs',
  // A model with its input.
  'post /v2/models/{provider}/{model}',
  'post /v2/models/{provider}/{model}/estimate',
  'post /v2/models/{provider}/{model}/requests',
  // With an instant clock a request is over before it can be cancelled.
  'put /v2/models/{provider}/{model}/requests/{request_id}/cancel',
])

/** Headers of a known account, an account on the free tier, and a stranger. */
const hostedKeys = ['test-key', 'test-key-free', 'wrong'].map((key) => ({
  [keyHeader]: key,
  Authorization: `Bearer ${key}`,
}))

/** Sends fitting requests, each with all of these headers in turn, and returns the statuses of the answers. */
async function statusesMet(
  subject: Subject,
  one: Operation,
  words: readonly string[],
  credentials: readonly Readonly<Record<string, string>>[],
): Promise<ReadonlySet<number>> {
  const met = new Set<number>()
  const holds = async ({ target, payload }: Request) => {
    for (const credential of credentials) {
      const headers = { ...payload.headers, ...credential }
      const reply = await subject.raw(one.method.toUpperCase(), target, payload.body, headers)
      met.add(reply.status)
      expect(undocumented(one, reply)).toEqual([])
    }
  }
  const asked = fc.asyncProperty(requests(one, words), holds)
  await fc.assert(asked, { seed: 7, numRuns: runsOf(one) })
  return met
}

describe('the document of its server lists each reply', () => {
  test.each(local)('of local %s', (title, one) =>
    inWorld({ manager: true }, async (subject) => {
      const words = await furnish(subject, one)
      const met = await statusesMet(subject, one, words, [{}])
      if (canBeWell(title, one)) expect([...met]).toContainEqual(expect.toSatisfy(isWell))
    }),
  )

  test.each(hosted)('of hosted %s', (title, one) =>
    inWorld({ deployment: 'hosted' }, async (subject) => {
      const words = await furnish(subject, one)
      const met = await statusesMet(subject, one, words, hostedKeys)
      if (canBeWell(title, one)) expect([...met]).toContainEqual(expect.toSatisfy(isWell))
    }),
  )

  test.each<[string, number, EmulatorOptions, Record<string, string>]>([
    ['a page of another origin', 403, {}, { Origin: 'http://elsewhere.example' }],
    ['an origin that cannot be read', 500, {}, { Origin: 'http://127.0.0.1:x' }],
    ['a request without the token', 401, { token: 'the-token' }, {}],
  ])('to %s', (_, status, options, headers) =>
    inWorld(options, async ({ request }) => {
      for (const [title, { path, method, operation }] of local) {
        const target = path.replace(/\{\w+\}/g, 'a')
        const reply = await request(method.toUpperCase(), target, undefined, headers)
        expect(`${title} ${reply.status}`).toBe(`${title} ${status}`)
        expect(Object.keys(operation['responses'])).toContain(String(status))
      }
    }),
  )
})

const isWell = (status: number) => status < 300 || status === 302

/** Whether fitting requests get a successful answer: the document has one, and a request can lead to it. */
const canBeWell = (title: string, { operation }: Operation) =>
  !neverWell.has(title) && Object.keys(operation['responses']).map(Number).some(isWell)
