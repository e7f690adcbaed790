// The node manager [manager/*]: an extension that installs node packs and models. Nothing is downloaded.

import { isObject, type Json, readJson } from '../../lib/json.ts'
import { empty, json, type Reply, refuse } from '../../http/replies.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import { isModelFile, folderNames } from '../nodes/catalog.ts'
import { normalisePath } from '../world/paths.ts'
import { beginInstall, MAX_WAITING } from '../world/installs.ts'
import type { Model } from '../state/files.ts'
import type { World } from '../state/world.ts'

/** Installs a node pack: records its `git_url` without fetching it. */
export function managerInstall(world: World, request: Request): Reply {
  const texts = readTexts(request, ['git_url'])
  if (texts === 'crash') return refuse('internal')
  return texts === undefined ? refuse('badRequestEmpty') : install(world, null)
}

/** Installs a model file below one of the model folders. */
export function managerInstallModel(world: World, request: Request): Reply {
  const texts = readTexts(request, ['url', 'path', 'filename'])
  if (texts === 'crash') return refuse('internal')
  const [, path = '', filename = ''] = texts ?? []
  const model = texts && modelAt(world, path, filename)
  return model === undefined ? refuse('badRequestEmpty') : install(world, model)
}

/** The number of installations: all, done, and in progress; one runs at a time. */
export function managerStatus({
  state: {
    installs: { waiting, done },
  },
}: World): Reply {
  const counts = {
    total_count: waiting.length + done,
    done_count: done,
    in_progress_count: Math.min(1, waiting.length),
    is_processing: waiting.length > 0,
  }
  return json(JSON.stringify(counts))
}

function install(world: World, model: Model | null): Reply {
  if (world.state.installs.waiting.length >= MAX_WAITING) return refuse('badRequestEmpty')
  beginInstall(world, model)
  return empty
}

/** The named members of the body; undefined unless all are non-empty texts. `crash` if the body is not valid JSON. */
function readTexts(
  request: Request,
  names: readonly string[],
): readonly string[] | undefined | 'crash' {
  let body: Json
  try {
    body = readJson(bodyText(request))
  } catch {
    return 'crash'
  }
  if (!isObject(body)) return Array.isArray(body) || typeof body === 'string' ? undefined : 'crash'
  const texts = names.map((name) => body.get(name))
  return texts.every((text) => typeof text === 'string' && text !== '')
    ? (texts as string[])
    : undefined
}

/** The maximum length of a path and a name together, in characters. */
const MAX_NAME = 1024

/** The model at a path and a file name; undefined if they lead out of the model folders. */
function modelAt(world: World, path: string, filename: string): Model | undefined {
  const isName = normalisePath(filename) === filename && !/[\\/]/.test(filename)
  if (!isName || !isModelFile(filename) || path.length + filename.length > MAX_NAME)
    return undefined
  const parts = path.includes('\\') ? [] : (normalisePath(path)?.split('/') ?? [])
  // A path may start at the root of the installation, as in real model catalogues.
  if (parts[0] === 'models') parts.shift()
  const [folder = '', ...below] = parts
  if (!folderNames(world).includes(folder)) return undefined
  return { folder, name: [...below, filename].join('/') }
}
