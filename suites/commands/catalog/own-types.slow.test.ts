// A user's node types: instead of the built-in ones, or merged into them.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EmulatorOptions, replay, startEmulator } from 'flowdouble'
import { node } from '../../generate/graphs.ts'
import { proves, test } from '../../judge/proves.ts'
import { folder } from '../../support/folder.ts'
import { fileOf } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

/** An entry of object_info: an output node with one number. */
const type = (name: string, least: number) => ({
  [name]: {
    input: { required: { value: ['INT', { min: least, tooltip: `At least ${least}.` }] } },
    output: [],
    name,
    output_node: true,
  },
})
const names = async (get: (path: string) => Promise<{ json: () => unknown }>) =>
  Object.keys((await get('/object_info')).json() as object)

// One entry of a dump is enough; a file and an object, and of two entries with one name the last.
const merged = { nodes: [fileOf({ ...type('Mine', 1), ...type('Other', 0) }), type('Mine', 5)] }
proves(
  'catalog/own-types',
  async ({ breaks, get, submit }) => {
    breaks('catalog/node-types', 'catalog/one-node-type')
    expect(await names(get)).toEqual(expect.arrayContaining(['KSampler', 'Mine', 'Other']))
    // Front ends show them.
    expect((await get('/object_info/Mine')).text).toContain('"tooltip": "At least 5."')
    const graph = (value: number) => ({ '1': node('Mine', { value }) })
    expect((await submit(graph(4))).json()).toMatchObject({
      node_errors: { '1': { errors: [{ type: 'value_smaller_than_min' }] } },
    })
    expect((await submit(graph(5))).status).toBe(200)
  },
  merged,
)

proves(
  'catalog/own-types',
  async ({ breaks, get }) => {
    breaks('catalog/node-types', 'catalog/one-node-type')
    const found = (await names(get)).filter((name) => !name.startsWith('Flowdouble'))
    expect(found).toEqual(['One', 'Two', 'Three'])
  },
  { objectInfo: [type('One', 0), fileOf(type('Two', 0))], nodes: type('Three', 0) },
)

const yaml = join(folder(), 'types.yaml')
writeFileSync(yaml, 'KSampler:\n  input: {}\n')
const marked = join(folder(), 'types.json')
writeFileSync(marked, '\uFEFF{}')

const wrong: readonly (readonly [given: EmulatorOptions, says: RegExp])[] = [
  [{ nodes: { Mine: {} } }, /"Mine" is not a node type: each must have an "input"/],
  [{ nodes: fileOf([]) }, /at least one node type\. Save one/],
  [{ objectInfo: [fileOf(type('One', 0)), 'none.json'] }, /Cannot read the node types/],
  [{ nodes: yaml }, /\(line 1, column 1\); it looks like YAML/],
  [{ nodes: marked }, /byte order mark \(BOM\): save it as UTF-8 without one/],
  [
    { failures: [{ class_type: 'KSampelr', exception_type: 'OOMError' }] },
    /Failure 1 names the unknown node type "KSampelr"\. Did you mean KSampler\?/,
  ],
]
for (const [given, says] of wrong)
  test(`catalog/own-types Unusable types are rejected: ${says.source}`, async () => {
    await expect(startEmulator(given)).rejects.toThrow(says)
  })

test('catalog/own-types A journal is replayed with the node types of its server.', async () => {
  const emulator = await startEmulator({ nodes: type('Mine', 1), clock: 'instant' })
  const prompt = { '1': node('Mine', { value: 2 }) }
  const { status } = await fetch(`${emulator.url}/prompt`, {
    method: 'POST',
    body: JSON.stringify({ prompt }),
  })
  const journal = await emulator.journal()
  await emulator.close()
  expect(status).toBe(200)
  expect(replay(journal, emulator.options).differs).toBeNull()
  expect(replay(journal).differs).not.toBeNull()
})
