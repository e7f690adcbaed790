// Reports of a hosted server about itself and the account [system/hosted-*], and the feedback that it accepts.

import { feedback, freeRequest, type hostedSystemStats } from '../../../spec/server/system.ts'
import type { Static } from '../../../spec/static.ts'
import { isObject, type Json, numberOf } from '../../lib/json.ts'
import { badRequest, json, type Reply } from '../../http/replies.ts'
import { bodyJson, type Request } from '../../http/requests.ts'
import { callerOf } from './access.ts'
import { featuresText } from '../world/features.ts'
import { applyFree } from '../local/system.ts'
import type { Server } from '../state/server.ts'
import type { World } from '../state/world.ts'

const GIB = 2 ** 30

/** A plausible machine that never changes, as on local. */
const statistics: Static<typeof hostedSystemStats> = {
  system: {
    os: 'posix',
    python_version: '3.12.3 (flowdouble)',
    embedded_python: false,
    comfyui_version: '0.3.64',
    comfyui_frontend_version: '1.27.10',
    workflow_templates_version: '0.1.95',
    cloud_version: '0.1.0-flowdouble',
    deploy_environment: 'cloud',
    pytorch_version: '2.8.0+flowdouble',
    argv: ['main.py'],
    ram_total: 64 * GIB,
    ram_free: 48 * GIB,
  },
  devices: [
    {
      name: 'cuda:0 Flowdouble Test Device : native',
      type: 'cuda',
      vram_total: 48 * GIB,
      vram_free: 44 * GIB,
    },
  ],
}
const statisticsReply = json(JSON.stringify(statistics))

/** The statistics of a scenario replace them [scenario/start-statistics]. */
function systemStats({ setup: { options } }: World): Reply {
  const own = options.script.start.statistics
  if (own === undefined) return statisticsReply
  const system = { ...statistics.system, ...own.system }
  return json(JSON.stringify({ system, devices: own.devices ?? statistics.devices }))
}

/** The features of the server; without a key, nothing about an account. */
function features({ setup }: World, request: Request, server: Server): Reply {
  const { options, traits } = setup
  const caller = callerOf(server, { target: request.path, headers: request.headers })
  return json(featuresText({ options, traits, hosted: caller?.setup.hosted ?? null }))
}

const { type, rating } = feedback.properties
const types: readonly unknown[] = type.enum

/** The error in a member of feedback, as a sentence; undefined if it is valid. */
const checks: Readonly<Record<string, (value: Json | undefined) => string | undefined>> = {
  type: (value) => (types.includes(value) ? undefined : `type is one of ${types.join(', ')}.`),
  content: (value) =>
    value === undefined || typeof value === 'string' ? undefined : 'content is a text.',
  rating: (value) =>
    value === undefined || isRating(value)
      ? undefined
      : `rating is an integer from ${rating.minimum} to ${rating.maximum}.`,
  metadata: (value) =>
    value === undefined || isObject(value) ? undefined : 'metadata is an object.',
}

/** Whether a value is a whole number within the bounds; 5.0 counts as one, as in JSON Schema. */
function isRating(value: Json): boolean {
  const number = numberOf(value) ?? Number.NaN
  return Number.isInteger(number) && number >= rating.minimum && number <= rating.maximum
}

/** Accepts feedback, which has no visible effect. */
function sendFeedback(_world: World, request: Request): Reply {
  const body = bodyJson(request)
  if (!isObject(body)) return badRequest('Feedback is a JSON object.')
  for (const [name, check] of Object.entries(checks)) {
    const reason = check(body.get(name))
    if (reason !== undefined) return badRequest(reason)
  }
  return { status: 201, headers: {}, body: '' }
}

const freeNames = Object.keys(freeRequest.properties)

/** As on local, except that the body must be an object whose relevant members are booleans. */
function freeMemory(world: World, request: Request): Reply {
  const body = bodyJson(request)
  if (!isObject(body)) return badRequest('What to free is a JSON object.')
  const wrong = freeNames.find((name) => !isFlag(body.get(name)))
  return wrong === undefined ? applyFree(world, body) : badRequest(`${wrong} is true or false.`)
}

const isFlag = (value: Json | undefined): boolean =>
  value === undefined || typeof value === 'boolean'

export const systemHandlers = { systemStats, features, sendFeedback, free: freeMemory } as const
