// Change fingerprints [runs/changed-file-runs]: what the content of a node depends on besides its inputs. The graph in
// saved pictures contains them as `is_changed` [files/is-changed].

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { floatText, isObject, type JsonObject, writeJson } from '../../lib/json.ts'
import { nodeScript, runNumber, scriptText } from '../nodes/script.ts'
import { fileInputOf, namedFile } from '../world/named-files.ts'
import { bytesOf, fileFacts, fileFingerprint } from '../world/files.ts'
import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import { isTruthy } from '../../lib/python.ts'
import { linkOf, nodeInputs } from '../graph/graph.ts'
import { momentOf, timestamp } from '../world/derived.ts'
import type { NodeType } from '../state/nodes.ts'
import type { FileContent, Fingerprints } from '../state/files.ts'
import type { Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** The sources of a type's fingerprint; other types have no visible one. */
const kinds: Readonly<Record<string, 'bytes' | 'modified' | 'now'>> = {
  LoadImage: 'bytes',
  LoadImageMask: 'bytes',
  LoadImageOutput: 'bytes',
  LoadAudio: 'bytes',
  LoadLatent: 'bytes',
  LoadVideo: 'modified',
  SaveImageWebsocket: 'now',
}

/** A fingerprint that could not be computed. It equals no other, not even itself. */
const NOT_A_NUMBER = 'NaN'

/** The fingerprints of all nodes of a graph that have one, needed or not. */
export function fingerprintsOf(
  world: World,
  run: Run,
  graph: JsonObject,
  types: ReadonlyMap<string, NodeType>,
): Fingerprints {
  const fingerprints = new Map<string, string>()
  for (const [id, node] of graph) {
    const class_type = types.get(id)?.class_type ?? ''
    const changed = nodeScript(world, runNumber(run), id, class_type)?.changed
    if (changed !== undefined) {
      if (hasChanged(graph, id, changed)) fingerprints.set(id, NOT_A_NUMBER)
      continue
    }
    const kind = Object.hasOwn(kinds, class_type) ? kinds[class_type] : undefined
    if (kind === undefined) continue
    // A client that sends a fingerprint decides what counts as changed [runs/given-fingerprint].
    const given = isObject(node) ? node.get('is_changed') : undefined
    const own = given === undefined ? fingerprint(world, graph, id, class_type, kind) : undefined
    fingerprints.set(id, own ?? writeJson(given ?? null))
  }
  return fingerprints
}

/** Whether a node has changed by its rule: always, never, or by a literal input [scenario/node-changed]. */
function hasChanged(graph: JsonObject, id: string, changed: Changed): boolean {
  if (typeof changed === 'string') return changed === 'always'
  const given = nodeInputs(graph, id).get(changed.input) ?? null
  return linkOf(given) === undefined && isTruthy(given)
}

type Changed = NonNullable<NodeRule['changed']>

function fingerprint(
  world: World,
  graph: JsonObject,
  id: string,
  class_type: string,
  kind: 'bytes' | 'modified' | 'now',
): string {
  if (kind === 'now') return `[${floatText(timestamp(world) / 1000)}]`
  const named = namedInput(world, graph, id, class_type)
  if (named === undefined) return NOT_A_NUMBER
  const { content, modifiedMs } = named.file
  if (kind === 'bytes') return `["${contentHash(content)}"]`
  const { tag } = fileFacts(momentOf(world, modifiedMs), content)
  return `[${floatText(Number(BigInt(`0x${tag}`)) / 1e9)}]`
}

const namedInput = (world: World, graph: JsonObject, id: string, class_type: string) =>
  namedFile(world, nodeInputs(graph, id).get(fileInputOf(class_type)?.name ?? '') ?? null)

const hashes = new WeakMap<Uint8Array, string>()

/** The SHA-256 of a file, in hex. A picture without bytes yet has that of its recipe [files/is-changed-of-own]. */
function contentHash(content: FileContent): string {
  const bytes = bytesOf(content)
  if (bytes === undefined) return bytesToHex(sha256(utf8ToBytes(fileFingerprint({ content }))))
  const known = hashes.get(bytes)
  if (known !== undefined) return known
  const hash = bytesToHex(sha256(bytes))
  hashes.set(bytes, hash)
  return hash
}

/**
 * What the content of a node depends on besides its inputs, as a text for its hash, or null. Types that name a file but
 * have no fingerprint depend on that file.
 */
export function dependsOn(
  world: World,
  run: Run,
  graph: JsonObject,
  fingerprints: Fingerprints,
): (id: string, type: NodeType) => string | null {
  const outsideText = (id: string, class_type: string, changed?: Changed): string | null => {
    const text = fingerprints.get(id)
    if (text === NOT_A_NUMBER) return `${text} ${run.serial}`
    if (text !== undefined) return text
    if (changed !== undefined || fileInputOf(class_type) === undefined) return null
    const named = namedInput(world, graph, id, class_type)
    return named === undefined ? null : fileFingerprint(named.file)
  }
  return (id, { class_type }) => {
    const script = nodeScript(world, runNumber(run), id, class_type)
    // The cache must not hide a failure, nor serve the nodes that depend on it.
    if (script?.exception_type !== undefined) return `run ${run.serial}`
    const own = script === undefined ? undefined : scriptText(script)
    const text = outsideText(id, class_type, script?.changed)
    return own === undefined ? text : `${text ?? ''} by ${own}`
  }
}
