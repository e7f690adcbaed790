// The output of a node for the user, as JSON text: the files that it saves, or what a rule of the scenario sets.

import { assetOfOutput } from '../world/assets.ts'
import { get } from '../../lib/bounded.ts'
import { type FileEntry, fileKey, pictureOf, saveFiles, saveNamed } from '../world/files.ts'
import type { Failure, OwnOutputs, Work } from '../state/nodes.ts'
import type { Running } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** The output for the user as JSON text, null without one, or the failure if its files cannot be written. */
export function outputOf(world: World, running: Running, done: Work): string | null | Failure {
  if (done.own !== undefined) return ownOutput(world, running, done.own)
  if (done.save === undefined) return done.ui ?? null
  const entries = saveFiles(world, done.save, done.save.isBare ? null : running.savedBy)
  if ('exception_type' in entries) return entries
  const { animated } = done.save
  const shown = withAssets(world, running, entries)
  const also = animated === undefined ? '' : `, "animated": [${animated}]`
  return `{"${done.save.key}": ${JSON.stringify(shown)}${also}}`
}

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
  if (/\.(mp4|webm|mkv)$/.test(key)) return { kind: 'video' }
  const content = get(world.state.files, key)?.content
  const picture = content && pictureOf(content)
  return picture && { kind: 'image', width: picture.width, height: picture.height }
}

/** Stores the files that the scenario sets, byte for byte [scenario/node-files]. */
function ownOutput(world: World, running: Running, own: OwnOutputs): string | null | Failure {
  const { type, prefix, keys, files, text, isAnimated } = own
  const lists = new Map<string, unknown[]>(keys.map((key) => [key, []]))
  for (const { key, content, filename, ending } of files) {
    const saved =
      filename === null
        ? saveFiles(
            world,
            { type, prefix, ending, contents: [content], numberEnd: endOf(world, key) },
            running.savedBy,
          )
        : saveNamed(world, type, filename, content)
    if ('exception_type' in saved) return saved
    lists.get(key)?.push(...withAssets(world, running, saved))
  }
  const members = Array.from(lists, ([key, entries]) => `"${key}": ${JSON.stringify(entries)}`)
  if (isAnimated !== undefined) members.push(`"animated": [${isAnimated}]`)
  if (text !== null) members.push(`"text": ${JSON.stringify(text)}`)
  return members.length === 0 ? null : `{${members.join(', ')}}`
}
