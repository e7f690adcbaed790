// The output of a node for the user, as JSON text: the files that it saves, or what a rule of the scenario sets.

import { assetOfOutput } from '../world/assets.ts'
import { get } from '../../lib/bounded.ts'
import { rateOf } from '../../pictures/picture.ts'
import { type FileEntry, fileKey, pictureOf, saveFiles, saveNamed } from '../world/files.ts'
import { reportedPath } from '../world/paths.ts'
import type { FileContent } from '../state/files.ts'
import type { Failure, OwnFile, OwnOutputs, Save, Work } from '../state/nodes.ts'
import type { Running } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** The output for the user as JSON text, null without one, or the failure if its files cannot be written. */
export function outputOf(world: World, running: Running, done: Work): string | null | Failure {
  if (done.own !== undefined) return ownOutput(world, running, done.own)
  if (done.save === undefined) return done.ui ?? null
  const entries = saveFiles(world, done.save, done.save.isBare ? null : running.savedBy)
  if ('exception_type' in entries) return entries
  const { animated } = done.save
  const shown = withMembers(world, done.save, withAssets(world, running, entries))
  const also = animated === undefined ? '' : `, "animated": [${animated}]`
  return `{"${done.save.key}": ${shown}${also}}`
}

/** Entries as JSON text, with what the node says besides their names [scenario/video-combine]. */
function withMembers(
  { setup }: World,
  { members, ending, listed = `.${ending}`, beside = [] }: Save,
  entries: readonly FileEntry[],
): string {
  if (members === undefined) return JSON.stringify(entries)
  const more = [...members].map(([name, text]) => `${JSON.stringify(name)}: ${text}`)
  const texts = entries.map((entry) => {
    const { filename, subfolder, type } = entry
    const path = subfolder === '' ? filename : `${subfolder}/${filename}`
    const [first] = beside
    const isNumbered = setup.hosted === null && first !== undefined
    const workflow = isNumbered ? `${filename.slice(0, -listed.length)}${first.end}` : filename
    const fullpath = reportedPath(type as 'output' | 'temp', path)
    return `{${[inside(entry), ...more, inside({ workflow, fullpath })].join(', ')}}`
  })
  return `[${texts.join(', ')}]`
}

/** An object as JSON text without its braces. */
const inside = (members: object): string => JSON.stringify(members).slice(1, -1)

/** What follows the number in the name of a file under this key. */
const endOf = ({ setup }: World, key: string): '_' | '' =>
  key === 'audio' ? setup.traits.audioNameEnd : '_'

/** Entries with the ids of their assets, on a server with assets [assets/of-run]. */
function withAssets(
  world: World,
  { run }: Running,
  entries: readonly FileEntry[],
): readonly FileEntry[] {
  const { options, traits } = world.setup
  if (!options.assets && !traits.describesFiles) return entries
  return entries.map((entry) => {
    const { filename, subfolder, type } = entry
    const key = fileKey(type, subfolder, filename)
    const asset = options.assets ? assetMembers(world, key, run.prompt_id) : {}
    const metadata = traits.describesFiles ? describe(world, key) : undefined
    return Object.assign({ filename, subfolder, type }, asset, metadata && { metadata })
  })
}

/** What an entry says about its asset; a picture is its own preview [assets/output-preview]. */
function assetMembers(world: World, key: string, prompt_id: string): object {
  const { id, metadata } = assetOfOutput(world, key, prompt_id)
  const isOwnPreview = world.setup.traits.hasNewerAssets && metadata !== null
  return isOwnPreview ? { id, preview_id: id } : { id }
}

/** What an entry says about the content of a picture or a video [files/output-metadata]. */
function describe(world: World, key: string): object | undefined {
  const content = get(world.state.files, key)?.content
  if (/\.(mp4|webm|mkv)$/.test(key)) return { kind: 'video', ...(content && videoFacts(content)) }
  const picture = content && pictureOf(content)
  return picture && { kind: 'image', width: picture.width, height: picture.height }
}

/** The length of a video in seconds, its frame rate and its number of frames. */
function videoFacts(content: FileContent): object {
  if (!('picture' in content) || content.animation === undefined) return {}
  const frame_count = 1 + content.animation.rest.length
  const fps = rateOf(content.animation) / 1000
  return { duration: frame_count / fps, fps, frame_count }
}

/** Stores the files that the scenario sets, byte for byte [scenario/node-files]. */
function ownOutput(world: World, running: Running, own: OwnOutputs): string | null | Failure {
  const lists: string[] = []
  for (const [key, items] of own) {
    const texts: string[] = []
    for (const item of items) {
      const text = typeof item === 'string' ? item : ownEntry(world, running, key, item)
      if (typeof text !== 'string') return text
      texts.push(text)
    }
    lists.push(`${JSON.stringify(key)}: [${texts.join(', ')}]`)
  }
  return lists.length === 0 ? null : `{${lists.join(', ')}}`
}

/** Stores a file, and returns its entry as JSON text. */
function ownEntry(
  world: World,
  running: Running,
  key: string,
  { type, prefix, ending, path, content, members }: OwnFile,
): string | Failure {
  const saved =
    path === null
      ? saveFiles(
          world,
          { type, prefix, ending, contents: [content], numberEnd: endOf(world, key) },
          running.savedBy,
        )
      : saveNamed(world, type, path, content)
  if ('exception_type' in saved) return saved
  const [entry] = withAssets(world, running, saved)
  return JSON.stringify(Object.assign({}, entry, members))
}
