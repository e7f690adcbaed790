// The models of the Router, and the replies about them [router/list, router/detail, router/document].

import { builtInModels } from '../../../spec/router/models.ts'
import { pageLimits, routerRoot, type routerModel } from '../../../spec/router/router.ts'
import type { ModelType } from '../../../spec/scenario/models.ts'
import type { Static } from '../../../spec/static.ts'
import { nearest } from '../../lib/nearest.ts'
import { hash53 } from '../../lib/random.ts'
import { empty, json, refuseRouter, type Reply } from '../../http/replies.ts'
import { parameter, type Request } from '../../http/requests.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { timestamp } from '../world/derived.ts'
import { originOf, type RouterOrigin } from './links.ts'
import { outputSchema } from './output.ts'

/** A model with its id. */
export type Model = ModelType & { readonly id: string }

/** Those that a call can name, by id, in their order. A retired one is among them. */
const allModels = ({ script }: World): Readonly<Record<string, ModelType>> =>
  Object.assign({}, builtInModels, script.modelTypes)

const isRetired = (world: World, { retired }: ModelType): boolean =>
  retired !== undefined && timestamp(world) >= Date.parse(retired.on)

/** The ids of the models that the catalog lists, sorted. */
const listedIds = (world: World): readonly string[] =>
  Object.entries(allModels(world))
    .filter(([, model]) => !isRetired(world, model))
    .map(([id]) => id)
    .toSorted()

/** The model that the path of a request names, or the refusal. */
export function modelOf(
  world: World,
  { segments: [provider = '', name = ''] }: Pick<Request, 'segments'>,
): Model | { readonly refusal: Reply } {
  const id = `${provider}/${name}`
  const models = allModels(world)
  const model = Object.hasOwn(models, id) ? models[id] : undefined
  if (model === undefined) return { refusal: unknownModel(world, id) }
  const { retired } = model
  if (retired === undefined || !isRetired(world, model)) return Object.assign({ id }, model)
  const hint = retired.successor === undefined ? '' : `; use ${retired.successor}`
  return { refusal: refuseRouter('modelRetired', { id, date: retired.on, hint }) }
}

/** The refusal of a model that does not exist, with up to three that are like it [router/suggestions]. */
export function unknownModel(world: World, id: string): Reply {
  const known = new Set(listedIds(world))
  const found: string[] = []
  for (
    let one = nearestTo(id, known);
    one !== undefined && found.length < 3;
    one = nearestTo(id, known)
  ) {
    found.push(one)
    known.delete(one)
  }
  const hint = found.length === 0 ? '' : ` Did you mean ${found.join(', ')}?`
  return refuseRouter('modelNotFound', { id, hint })
}

/** The id that is most like one that does not exist, or the next of the same provider. */
const nearestTo = (id: string, known: ReadonlySet<string>): string | undefined =>
  nearest(id, known) ?? [...known].find((one) => one.startsWith(`${id.split('/')[0]}/`))

function entryOf({ id, chargesOnPolicyRejection = 'unknown' }: Model): Static<typeof routerModel> {
  const [provider = '', model = ''] = id.split('/')
  const billing = { charges_on_policy_rejection: chargesOnPolicyRejection }
  return { id, provider, model, billing }
}

/** The cursor of the page that begins at this place. */
const cursorAt = ({ setup }: World, at: number): string =>
  hash53(`page of models ${setup.options.seed} ${at}`).toString(36)

/** GET /v2/models. */
export function listModels(world: World, { query }: Request): Reply {
  const ids = listedIds(world)
  const given = Number(parameter(query, 'limit') ?? pageLimits.usual)
  const asked = Number.isInteger(given) && given > 0 ? given : pageLimits.usual
  const limit = Math.min(asked, pageLimits.most)
  const cursor = parameter(query, 'cursor')
  const at =
    cursor === undefined ? 0 : ids.findIndex((_, place) => cursorAt(world, place) === cursor)
  if (at < 0) return refuseRouter('badCursor')
  const models = allModels(world)
  const data = ids
    .slice(at, at + limit)
    .map((id) => entryOf(Object.assign({ id }, models[id] as ModelType)))
  const has_more = at + limit < ids.length
  const next = has_more ? { next_cursor: cursorAt(world, at + limit) } : {}
  return json(JSON.stringify(Object.assign({ data, has_more }, next, { limit })))
}

/** The address of a model at the server, as the client of a request reaches it. */
const addressOf = ({ base }: RouterOrigin, id: string): string => `${base}${routerRoot}/${id}`

/** GET /v2/models/{provider}/{model}. */
export function modelDetail(world: HostedWorld, request: Request): Reply {
  const model = modelOf(world, request)
  if ('refusal' in model) return model.refusal
  const input_schema_url = `${addressOf(originOf(world, request), model.id)}/openapi.json`
  // Clients take an https address alone.
  const more = input_schema_url.startsWith('https:') ? { input_schema_url } : {}
  return json(JSON.stringify(Object.assign(entryOf(model), more)))
}

/** GET /v2/models/{provider}/{model}/openapi.json. */
export function modelDocument(world: HostedWorld, request: Request): Reply {
  const model = modelOf(world, request)
  if ('refusal' in model) return model.refusal
  const text = documentText(model)
  const ETag = `"${world.setup.hosted.hashing.sha256Hex(text)}"`
  const headers = { ETag, 'Cache-Control': 'private, max-age=300, must-revalidate' }
  if (isKnown(request.headers['if-none-match'], ETag))
    return Object.assign({}, empty, { status: 304, headers })
  const reply = json(text)
  return Object.assign(reply, { headers: Object.assign(headers, reply.headers) })
}

/** Whether a client has the version with this tag: a weak comparison. */
const isKnown = (tags: string | undefined, tag: string): boolean =>
  (tags ?? '').split(',').some((one) => /^ *(?:W\/)?(.*?) *$/.exec(one)?.[1] === tag) ||
  tags?.trim() === '*'

function documentText({ id, about, input, output = {}, bytes }: Model): string {
  const content =
    bytes === undefined
      ? { 'application/json': { schema: outputSchema(output) } }
      : { '*/*': { schema: { type: 'string', format: 'binary' } } }
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: id, version: '1', ...(about !== undefined && { description: about }) },
    paths: {
      [`${routerRoot}/${id}`]: {
        post: {
          requestBody: { required: true, content: { 'application/json': { schema: input } } },
          responses: { 200: { description: 'The output of the model.', content } },
        },
      },
    },
  })
}
