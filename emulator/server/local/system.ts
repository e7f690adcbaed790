// Reports of the server about itself [system/*]: statistics, features, GET /prompt, and a page for people at GET /.

import { type NamedServer, servers } from '../../../spec/truth/servers.ts'
import type { Start } from '../../../spec/scenario/start.ts'
import { isObject, type Json, type JsonObject, readJson } from '../../lib/json.ts'
import { empty, json, type Reply, refuse } from '../../http/replies.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import { featuresText } from '../world/features.ts'
import { isTruthy } from '../../lib/python.ts'
import { unrecordedEntries } from '../world/history.ts'
import { unloadModels } from '../world/loaded-models.ts'
import { remaining } from '../world/derived.ts'
import type { World } from '../state/world.ts'

const GIB = 2 ** 30

/** A plausible machine, without loaded models. */
const usual = {
  system: {
    os: 'posix',
    ram_total: 32 * GIB,
    ram_free: 24 * GIB,
    comfyui_version: '0.3.64',
    required_frontend_version: '1.27.10',
    installed_templates_version: '0.1.95',
    required_templates_version: '0.1.95',
    // Later servers have these members here: they keep their place, and are left out without a value.
    comfy_package_versions: undefined as unknown,
    python_version: '3.12.3 (flowdouble)',
    pytorch_version: '2.8.0+flowdouble',
    embedded_python: false,
    deploy_environment: undefined as unknown,
    argv: ['main.py'],
  },
  device: {
    name: 'cuda:0 Flowdouble Test Device : native',
    type: 'cuda',
    index: 0,
    vram_total: 24 * GIB,
    vram_free: 20 * GIB,
    torch_vram_total: 0,
    torch_vram_free: 0,
  },
}

/** The memory that each loaded model uses on the device and on the machine. */
const MODEL_VRAM = 2 * GIB
const MODEL_RAM = GIB

/** A server that emulates a known one reports the same statistics [deployments/like-local, scenario/start-statistics]. */
function statisticsReply(
  like: string | null,
  models: number,
  { system: ownSystem, devices }: NonNullable<Start['statistics']> = {},
): Reply {
  const own = like === null ? undefined : (servers as Readonly<Record<string, NamedServer>>)[like]
  const system = { ...usual.system, ...own?.statistics?.system, ...ownSystem }
  const [first, ...others] = (devices ?? [
    { ...usual.device, ...own?.statistics?.device },
  ]) as Partial<typeof usual.device>[]
  const { torch_vram_total = 0, vram_free = 0 } = first ?? {}
  const loaded = {
    torch_vram_total: torch_vram_total + models * MODEL_VRAM,
    vram_free: Math.max(0, vram_free - models * MODEL_VRAM),
  }
  system.ram_free = Math.max(0, system.ram_free - models * MODEL_RAM)
  const all = first === undefined ? [] : [models === 0 ? first : { ...first, ...loaded }]
  return json(JSON.stringify({ system, devices: [...all, ...others] }))
}

/** Replies by emulated server and number of models: there are few, and they are requested often. */
const known = new Map<string, Reply>()

/** Free memory shrinks while models are loaded [system/memory-of-models]. */
export function systemStats({ setup, state: { memory } }: World): Reply {
  const { like, script } = setup.options
  const { statistics } = script.start
  if (statistics !== undefined) return statisticsReply(like, memory.models.size, statistics)
  const key = `${memory.models.size} ${like ?? ''}`
  const reply = known.get(key) ?? statisticsReply(like, memory.models.size)
  known.set(key, reply)
  return reply
}

export const features = (world: World): Reply => json(featuresText(world.setup))

/** The number of pending and running runs: the first request of several clients. */
export function promptInfo(world: World): Reply {
  const count = remaining(world) + unrecordedEntries(world).length
  return json(`{"exec_info": {"queue_remaining": ${count}}}`)
}

/** `free_memory` drops the results of earlier runs, before the next one; both it and `unload_models` unload the models. */
export function freeMemory(world: World, request: Request): Reply {
  let body: Json
  try {
    body = readJson(bodyText(request))
  } catch {
    return refuse('internal')
  }
  return isObject(body) ? applyFree(world, body) : refuse('internal')
}

/** Frees what a body requests. */
export function applyFree(world: World, body: JsonObject): Reply {
  const freesMemory = isTruthy(body.get('free_memory'))
  if (freesMemory) for (const worker of world.state.workers) worker.dropCache = true
  // Real servers unload for free_memory too, unless the body contains a false unload_models.
  const unloads = body.has('unload_models') ? isTruthy(body.get('unload_models')) : freesMemory
  if (unloads) unloadModels(world)
  return empty
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** A small page that explains what this server is and where to continue. */
export function home(world: World, request: Request): Reply {
  const host = escapeHtml(request.headers['host'] ?? '127.0.0.1:8188')
  const links = ['system_stats', 'queue', 'history', 'models', 'object_info']
    .map((path) => `<li><a href="/${path}">GET /${path}</a></li>`)
    .join('\n')
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>flowdouble</title>
<style>body{font:16px/1.5 system-ui;max-width:44rem;margin:3rem auto;padding:0 1rem}code{background:#8882;padding:.1em .3em}</style>
<h1>flowdouble</h1>
<p>A test double for a workflow execution server. It speaks the API of ComfyUI, has its own clock,
and gives the same bytes on every run. No model is loaded and nothing is computed for real.</p>
<p>HTTP: <code>http://${host}</code><br>WebSocket: <code>ws://${host}/ws?clientId=YOUR-ID</code><br>
Runs pending or running: ${remaining(world)}</p>
<h2>Look around</h2>
<ul>
${links}
</ul>
<h2>Next steps</h2>
<p>Submit a workflow in API format: <code>flowdouble run WORKFLOW.json --url http://${host}</code></p>
<p>Or point your client at this address, as at any ComfyUI server.</p>
</html>
`
  return { status: 200, headers: homeHeaders(world.setup), body }
}

/** The headers of the page at `/`. */
export const homeHeaders = ({ traits }: Pick<World['setup'], 'traits'>) => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': traits.scriptCache === 'no-store' ? 'no-store, must-revalidate' : 'no-cache',
  Pragma: 'no-cache',
  Expires: '0',
})
