// The server itself: statistics, memory, features, the length of the queue, the start page.

import {
  both,
  hosted,
  local,
  type Endpoints,
  type Rules,
  chosen,
  stated,
  observedIn,
  observedAt,
} from '../language.ts'
import { hostedError } from './errors.ts'
import { featureFlags, hostedFeatures } from './messages.ts'
import {
  anyObject,
  boolean,
  count,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  partial,
  text,
  textOrNull,
  volatile,
} from '../schema.ts'
import { get, post } from '../endpoint.ts'

export const systemStats = object({
  system: object({
    os: text,
    ram_total: volatile(number),
    ram_free: volatile(number),
    comfyui_version: text,
    required_frontend_version: optional(textOrNull),
    installed_templates_version: optional(textOrNull),
    required_templates_version: optional(textOrNull),
    comfy_package_versions: optional(
      list(object({ name: text, installed: textOrNull, required: text })),
    ),
    python_version: text,
    pytorch_version: text,
    embedded_python: boolean,
    deploy_environment: optional(text),
    argv: list(text),
  }),
  devices: list(
    object({
      name: text,
      type: text,
      index: optional(nullable(integer)),
      vram_total: optional(volatile(number)),
      vram_free: optional(volatile(number)),
      torch_vram_total: optional(volatile(number)),
      torch_vram_free: optional(volatile(number)),
    }),
  ),
})

/** The same on the hosted server, with more versions and fewer details of its devices. */
export const hostedSystemStats = object({
  system: object({
    os: text,
    python_version: text,
    embedded_python: boolean,
    comfyui_version: text,
    comfyui_frontend_version: optional(text),
    workflow_templates_version: optional(text),
    cloud_version: optional(text),
    deploy_environment: optional(text),
    pytorch_version: text,
    argv: list(text),
    ram_total: volatile(number),
    ram_free: volatile(number),
  }),
  devices: list(
    object({
      name: text,
      type: text,
      vram_total: optional(volatile(number)),
      vram_free: optional(volatile(number)),
    }),
  ),
})

/** A user's feedback on the service. */
export const feedback = object({
  type: oneOf('missing_nodes', 'general', 'missing_models'),
  content: optional(text),
  rating: optional({ type: 'integer', minimum: 1, maximum: 5 }),
  metadata: optional(anyObject),
})

export const queueLength = object({ exec_info: object({ queue_remaining: count }) })

export const freeRequest = partial({ unload_models: boolean, free_memory: boolean })

export const endpoints = {
  systemStats: get('/system_stats', both, {
    does: 'Returns memory, devices and versions.',
    replies: { 200: systemStats },
    hostedReplies: { 200: hostedSystemStats },
  }),
  free: post('/free', both, {
    does: 'Unloads models and frees memory.',
    body: freeRequest,
    replies: { 200: 'empty', 500: 'text' },
    hostedReplies: { 200: 'empty', 404: hostedError },
    acceptsInvalid: local,
  }),
  features: get('/features', both, {
    does: 'Returns the feature flags of the server.',
    replies: { 200: featureFlags },
    hostedReplies: { 200: hostedFeatures },
  }),
  promptInfo: get('/prompt', both, {
    does: 'Returns the number of pending and running runs.',
    replies: { 200: queueLength },
  }),
  sendFeedback: post('/feedback', hosted, {
    does: "Accepts a user's feedback on the service.",
    body: feedback,
    replies: { 201: 'empty', 400: hostedError },
  }),
  home: get('/', local, {
    does: 'Returns an HTML page that describes the server.',
    replies: { 200: 'html' },
  }),
} as const satisfies Endpoints

const observed = observedIn('system endpoints')

export const rules = {
  ...stated.both({
    'system/statistics':
      'GET /system_stats returns memory, devices and the version of the server. [A9 A94]',
  }),
  ...observed.local({
    'system/statistics-fields':
      'The statistics hold os, RAM, versions, argv and one device with its VRAM.',
  }),
  ...observed.before27({
    'system/statistics-os': 'The statistics name the family of the platform, posix or nt.',
  }),
  ...observedAt('ComfyUI 0.27.0, GET /system_stats', { since: '0.27' }).local({
    'system/statistics-packages':
      'The statistics name the platform, the required comfy packages and the deploy environment.',
  }),
  ...observedAt('ComfyUI 0.3.64, GET /system_stats').local({
    'system/memory-of-models':
      'Free RAM and VRAM decrease when a run loads models, and increase when they are unloaded.',
  }),
  ...stated.both({
    'system/free':
      'POST /free accepts unload_models and free_memory and returns 200. [A10 A62 A63 A95]',
  }),
  ...observed.local({
    'system/free-empties-cache': 'After free_memory the next run finds no cached node.',
    'system/free-reply': 'POST /free returns an empty body and sends no message.',
  }),
  ...observed.both({
    'system/queue-length': 'GET /prompt returns the number of pending and running runs.',
    'system/features': 'GET /features returns the feature flags of the server.',
  }),
  ...observedAt('ComfyUI 0.27.0, feature flags', { since: '0.27' }).local({
    'system/feature-flags':
      'The flags also report whether the server has model type tags, a manager, replacements and assets.',
    'system/own-flags':
      'Flags of the option follow the known ones, which none replaces; unregistered ones are texts.',
  }),
  ...observed.hosted({
    'system/hosted-statistics':
      'The hosted statistics contain cloud_version and deploy_environment, and no torch memory.',
    'system/hosted-features':
      'The hosted features contain max_concurrent_jobs of the requesting account.',
    'system/hosted-feedback':
      'POST /api/feedback returns 201 for feedback of a known type with a rating of 1 to 5.',
  }),
  ...observed.local({
    'system/home': 'GET / returns an HTML page that is marked as not cacheable.',
  }),
  ...chosen.hosted({
    'system/hosted-free':
      'The hosted /api/free returns 200 without a body, or 400 unless it gets an object of its flags.',
  }),
} as const satisfies Rules
