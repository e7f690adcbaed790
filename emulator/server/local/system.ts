// What the server tells of itself [system/*]: statistics, features, GET /prompt, and a page for people at GET /.

import { type NamedServer, servers } from '../../../spec/truth/servers.ts'
import { isObject, type Json, type JsonObject, readJson } from '../../lib/json.ts'
import { empty, json, type Reply, refuse } from '../../http/replies.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import { featuresText } from '../world/features.ts'
import { isTruthy } from '../../lib/python.ts'
import { remaining } from '../world/world.ts'
import type { World } from '../state/world.ts'

const GIB = 2 ** 30

/** A machine of a plausible size that never changes: a test double has no memory pressure of its own to tell. */
const usual = {
  system: {
    os: 'posix',
    ram_total: 32 * GIB,
    ram_free: 24 * GIB,
    comfyui_version: '0.3.64',
    required_frontend_version: '1.27.10',
    installed_templates_version: '0.1.95',
    required_templates_version: '0.1.95',
    python_version: '3.12.3 (flowdouble)',
    pytorch_version: '2.8.0+flowdouble',
    embedded_python: false,
    argv: ['main.py'],
  },
  devices: [
    {
      name: 'cuda:0 Flowdouble Test Device : native',
      type: 'cuda',
      index: 0,
      vram_total: 24 * GIB,
      vram_free: 20 * GIB,
      torch_vram_total: 0,
      torch_vram_free: 0,
    },
  ],
}

const statistics = json(JSON.stringify(usual))

/** A server that behaves as a known one tells what that tells [deployments/like-local]. */
export function systemStats({ setup }: World): Reply {
  const { like } = setup.options
  const own = like === null ? undefined : (servers as Readonly<Record<string, NamedServer>>)[like]
  if (own?.statistics === undefined) return statistics
  const { system, device } = own.statistics
  const devices = usual.devices.map((one) => ({ ...one, ...device }))
  return json(JSON.stringify({ system: { ...usual.system, ...system }, devices }))
}

export const features = (world: World): Reply => json(featuresText(world.setup))

/** How many runs are pending or running: the first call of several clients. */
export const promptInfo = (world: World): Reply =>
  json(`{"exec_info": {"queue_remaining": ${remaining(world)}}}`)

/** `free_memory` drops the results of earlier runs, before the next one; `unload_models` has nothing to unload. */
export function free(world: World, request: Request): Reply {
  let body: Json
  try {
    body = readJson(bodyText(request))
  } catch {
    return refuse('internal')
  }
  return isObject(body) ? freed(world, body) : refuse('internal')
}

/** Does what a body asks to free. */
export function freed({ state: { workers } }: World, body: JsonObject): Reply {
  if (isTruthy(body.get('free_memory'))) for (const worker of workers) worker.dropCache = true
  return empty
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** A small page that says what this is and where to go on. */
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
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache',
    Pragma: 'no-cache',
    Expires: '0',
  }
  return { status: 200, headers, body }
}
