// Known servers by name: `--like NAME` sets all defaults so that a client sees the same behaviour as on that server.

import { described, type Generation } from '../generations.ts'
import type { Place } from '../language.ts'
import type { quirks } from './quirks.ts'

export type NamedServer = {
  /** The server in words. */
  readonly says: string
  /** Where it applies: to a deployment of the workflow server, or to the gateway. */
  readonly on: Place
  /** The generation of a local server; that of the description if none is named. */
  readonly generation?: Generation
  /** Its quirks. It lacks all other quirks of its place. */
  readonly quirks: readonly (keyof typeof quirks)[]
  /** Options that differ from the usual defaults. */
  readonly options: Readonly<Record<string, boolean | number | string>>
  /** The value of the header `Server` in its replies. */
  readonly serverHeader: string
  /** Members of its system statistics that differ from the usual ones. */
  readonly statistics?: Readonly<Record<'system' | 'device', Readonly<Record<string, unknown>>>>
}

/** A real server enables previews only with a flag, and compresses if a socket offers it. */
const optionsOfReal = { preview: 'none', startDelayMs: 3, wsCompress: true } as const

/** The quirks of local servers since 2026. */
const quirksOfToday = [
  'queue.heap-order',
  'local.video-under-images',
  'local.zombie-socket',
] as const

const device = { name: 'cuda:0 NVIDIA GeForce RTX 4090 : cudaMallocAsync' } as const

/** The packages that a server requires, each installed as required. */
const packages = (versions: Readonly<Record<string, string>>) =>
  Object.entries(versions).map(([name, version]) => ({
    name,
    installed: version,
    required: version,
  }))

/** The statistics of a local server of 2026 with these packages. */
const statisticsOfToday = (
  comfyui_version: string,
  versions: Readonly<
    Record<'comfyui-frontend-package' | 'comfyui-workflow-templates', string> &
      Record<string, string>
  >,
) => ({
  system: {
    os: 'linux',
    comfyui_version,
    required_frontend_version: versions['comfyui-frontend-package'],
    installed_templates_version: versions['comfyui-workflow-templates'],
    required_templates_version: versions['comfyui-workflow-templates'],
    comfy_package_versions: packages(versions),
    python_version: '3.12.3 (main, Aug 14 2025, 17:47:21) [GCC 13.3.0]',
    pytorch_version: '2.13.0+cu130',
    deploy_environment: 'local-git',
  },
  device,
})

export const servers = {
  'comfyui-0.3.64': {
    says: 'ComfyUI 0.3.64 of October 2025, started without flags',
    on: 'local',
    quirks: [
      'workflows.bare-graph-errors',
      'queue.poison-kills-worker',
      'queue.heap-order',
      'local.video-under-images',
      'local.queue-shows-partner-key',
      'local.zombie-socket',
    ],
    options: optionsOfReal,
    serverHeader: 'Python/3.12 aiohttp/3.13.1',
    statistics: {
      system: {
        python_version: '3.12.3 (main, Aug 14 2025, 17:47:21) [GCC 13.3.0]',
        pytorch_version: '2.8.0+cu128',
      },
      device,
    },
  },
  'comfyui-0.27': {
    says: 'ComfyUI 0.27.0 of July 2026, started without flags',
    on: 'local',
    generation: '0.27',
    quirks: [...quirksOfToday],
    options: optionsOfReal,
    serverHeader: 'Python/3.12 aiohttp/3.13.1',
    statistics: statisticsOfToday('0.27.0', {
      'comfyui-frontend-package': '1.45.20',
      'comfyui-workflow-templates': '0.11.9',
      'comfyui-embedded-docs': '0.5.8',
      'comfy-kitchen': '0.2.19',
      'comfy-aimdo': '0.4.10',
    }),
  },
  'comfyui-0.33': {
    says: 'ComfyUI 0.33.0 of August 2026, started without flags',
    on: 'local',
    generation: '0.33',
    quirks: [...quirksOfToday],
    options: optionsOfReal,
    serverHeader: 'Python/3.12 aiohttp/3.13.1',
    statistics: statisticsOfToday('0.33.0', {
      'comfyui-frontend-package': '1.49.6',
      'comfyui-workflow-templates': '0.11.44',
      'comfyui-embedded-docs': '0.5.10',
      'comfy-kitchen': '0.2.31',
      'comfy-aimdo': '0.4.13',
    }),
  },
  'comfyui-0.38': {
    says: 'ComfyUI 0.38.1 of about October 2026, started without flags, as read in its source',
    on: 'local',
    generation: '0.38',
    quirks: [...quirksOfToday],
    options: { ...optionsOfReal, assets: true },
    serverHeader: 'Python/3.12 aiohttp/3.13.1',
    statistics: statisticsOfToday('0.38.1', {
      'comfyui-frontend-package': '1.53.6',
      'comfyui-workflow-templates': '0.11.73',
      'comfyui-embedded-docs': '0.5.12',
    }),
  },
  'hermes-2026.07': {
    says: 'the reference gateway of July 2026 (hermes-agent 0.19.0)',
    on: 'gateway',
    quirks: [
      'webhooks.crash-500',
      'webhooks.cut-prompt',
      'webhooks.reload-only-newer',
      'webhooks.env-needs-enabled',
      'webhooks.cli-ignores-env',
      'webhooks.origin-undeliverable',
      'webhooks.comment-needs-extra',
      'webhooks.skill-replaces-message',
      'webhooks.global-ids',
      'webhooks.millisecond-ids',
      'webhooks.empty-id',
      'webhooks.unbounded-runs',
      'webhooks.short-retries',
      'webhooks.duplicate-after-502',
      'webhooks.insecure-no-auth',
      'webhooks.fewer-schemes',
      'webhooks.lenient-signatures',
      'webhooks.unpacked-body',
      'webhooks.profile-paths',
      'webhooks.plain-health',
      'webhooks.python-json',
      'webhooks.events-as-written',
      'webhooks.empty-extra',
      'webhooks.empty-route',
      'webhooks.subscribe-shadowed',
      'webhooks.update-rotates-secret',
      'webhooks.list-hides-secrets',
    ],
    options: {},
    serverHeader: 'Python/3.12 aiohttp/3.14.1',
  },
} as const satisfies Readonly<Record<string, NamedServer>>
export type ServerName = keyof typeof servers

const all: Readonly<Record<string, NamedServer>> = servers

/** The generation of a server with this `like`. */
export const generationLike = (like: string | null): Generation =>
  (like === null ? undefined : all[like]?.generation) ?? described

/** The first named server of a generation. */
export const serverOfGeneration = (generation: Generation): string | undefined =>
  Object.keys(all).find((name) => all[name]?.on === 'local' && generationLike(name) === generation)
