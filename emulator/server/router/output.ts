// The outputs of models, made from their templates [router-runs/output, router-runs/media].

import { runLimits } from '../../../spec/router/router-runs.ts'
import { hash53 } from '../../lib/random.ts'
import { contentOf, endingOf } from '../nodes/file-contents.ts'
import { signedLink } from '../hosted/signed-links.ts'
import type { RouterCall } from '../state/router.ts'
import type { HostedWorld } from '../state/world.ts'
import { contentType } from '../world/content-types.ts'
import { fileBody, store } from '../world/files.ts'
import { madeContent } from '../world/made-files.ts'
import { jsonHeaders, type Reply } from '../../http/replies.ts'

type Members = Readonly<Record<string, unknown>>

/** A part of a template that stands for the address of a file. */
type MediaPart = { readonly media: string; readonly width?: number; readonly height?: number }

export const isMembers = (part: unknown): part is Members =>
  typeof part === 'object' && part !== null && !Array.isArray(part)

const hasOnly = (part: Members, ...names: readonly string[]): boolean =>
  Object.keys(part).every((name) => names.includes(name))

const isMedia = (part: Members): part is MediaPart =>
  typeof part['media'] === 'string' && hasOnly(part, 'media', 'width', 'height')

/** The path of the input whose value a part stands for. */
const inputOf = (part: Members): string | undefined =>
  typeof part['input'] === 'string' && hasOnly(part, 'input') ? part['input'] : undefined

/** The items of a list that is as long as an input says. */
const isRepeated = (part: unknown): part is { readonly times: string; readonly item: unknown } =>
  isMembers(part) && typeof part['times'] === 'string' && 'item' in part

/** The schema of the output of a template. */
export function outputSchema(template: unknown): object {
  if (Array.isArray(template)) {
    const [first] = template as readonly unknown[]
    if (first === undefined) return { type: 'array' }
    return { type: 'array', items: outputSchema(isRepeated(first) ? first.item : first) }
  }
  if (!isMembers(template)) return template === null ? {} : { type: typeof template }
  if (isMedia(template)) return { type: 'string', format: 'uri' }
  if (inputOf(template) !== undefined) return {}
  const properties = Object.entries(template).map(([name, part]) => [name, outputSchema(part)])
  return { type: 'object', properties: Object.fromEntries(properties) as object }
}

/** The value at a path of an input, such as `parameters.n`; undefined without one. */
function valueAt(input: unknown, path: string): unknown {
  let value = input
  for (const name of path.split('.'))
    value = isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

/** The most items that an input makes of one. */
const MOST_ITEMS = 16

/**
 * A template with the values of an input, in which the places of files remain, each with its size. Members whose input is
 * absent are left out, and so are values that are too long [router-runs/long-input].
 */
export function filled(template: unknown, input: unknown): unknown {
  const size = sizeOf(input)
  let leftCharacters: number = runLimits.echoed
  const fill = (part: unknown): unknown => {
    if (Array.isArray(part)) return (part as readonly unknown[]).flatMap(fillItem)
    if (!isMembers(part)) return part
    if (isMedia(part)) return Object.assign({}, size, part)
    const path = inputOf(part)
    if (path !== undefined) return echoed(valueAt(input, path))
    const members = Object.entries(part).map(([name, member]) => [name, fill(member)] as const)
    return Object.fromEntries(members.filter(([, member]) => member !== undefined))
  }
  const fillItem = (part: unknown): readonly unknown[] => {
    if (!isRepeated(part)) return [fill(part)]
    const times = valueAt(input, part.times)
    const count = typeof times === 'number' && times >= 1 ? Math.min(times, MOST_ITEMS) : 1
    return Array.from({ length: count }, () => fill(part.item))
  }
  const echoed = (value: unknown): unknown => {
    if (value === undefined) return undefined
    const { length } = JSON.stringify(value)
    leftCharacters -= length
    return leftCharacters < 0 ? undefined : value
  }
  return fill(template)
}

const USUAL = { width: 1024, height: 1024 }

/** The size that an input names [router-runs/size]: as two numbers, or as a text at the top or among its parameters. */
function sizeOf(input: unknown): { readonly width: number; readonly height: number } {
  const [width, height] = [valueAt(input, 'width'), valueAt(input, 'height')]
  if (isSide(width) && isSide(height)) return { width, height }
  const named = valueAt(input, 'size') ?? valueAt(input, 'parameters.size')
  const [, ...sides] = /^(\d{1,5})[x*](\d{1,5})$/.exec(typeof named === 'string' ? named : '') ?? []
  const [across, down] = sides.map(Number)
  return isSide(across) && isSide(down) ? { width: across, height: down } : USUAL
}

const MOST_PIXELS = 4096
const isSide = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_PIXELS

/** What determines the files of a call. */
type Making = Pick<RouterCall, 'id' | 'host' | 'prefix'>

/** The text of an output: its files are stored, and named by signed links. */
export function outputText(world: HostedWorld, call: Making, output: unknown): string {
  let number = 0
  const written = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(written)
    if (!isMembers(part)) return part
    if (isMedia(part)) return storeMedia(world, call, part, number++)
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, written(one)]))
  }
  return JSON.stringify(written(output))
}

/** Stores a file, and returns its address. */
function storeMedia(
  world: HostedWorld,
  { id, host, prefix }: Making,
  { media, width = USUAL.width, height = USUAL.height }: MediaPart,
  number: number,
): string {
  const name = `${id}-${number}.${media}`
  const content = madeContent(media, hash53(`${world.setup.pictureSeed} ${name}`), {
    width,
    height,
  })
  if (content !== undefined) store(world, 'output', '', name, content)
  return signedLink(world, name, host, prefix)
}

/** The file that a model answers with. */
export function fileReply(world: HostedWorld, id: string, format: string): Reply {
  const content = madeContent(format, hash53(`${world.setup.pictureSeed} ${id}`), USUAL)
  const headers = { 'Content-Type': contentType(`x.${format}`) }
  return { status: 200, headers, body: content === undefined ? '' : fileBody(content) }
}

/** The answer whose content a rule has. */
export function givenReply({ file, contentType: named }: RouterCall['plan']['rule']): Reply {
  const bytes = file === undefined ? new Uint8Array() : contentOf(file)
  const found = endingOf(bytes)
  const usual =
    file?.base64 === undefined ? 'text/plain; charset=utf-8' : 'application/octet-stream'
  const type = named ?? (found === undefined ? usual : contentType(`x.${found}`))
  return { status: 200, headers: type === '' ? {} : { 'Content-Type': type }, body: bytes }
}

export const jsonReply = (body: string): Reply => ({ status: 200, headers: jsonHeaders, body })
