// What the log of `serve` says of a refused submit.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { folder } from '../../support/folder.ts'
import { start, textToImage } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

const urlIn = (line: string): string => (JSON.parse(line) as { url: string }).url
const node = (class_type: string): object => ({ class_type, inputs: {} })

test('serve/log-types A file of node types that is gone by the time of a refusal keeps only the list out of the log', async () => {
  const types = join(folder(), 'types.json')
  writeFileSync(types, JSON.stringify({ Own: { input: { required: {} } } }))
  const command = start('serve', '--port', '0', '--json', '--nodes', types)
  const url = urlIn(await command.says(/\n/))
  rmSync(types)
  const prompt = { 1: node('Own'), 2: node('Foo'), 3: node('Bar') }
  const sent = { method: 'POST', body: JSON.stringify({ prompt }) }
  for (const attempt of [1, 2])
    expect([attempt, (await fetch(`${url}/prompt`, sent)).status]).toEqual([attempt, 400])
  command.process.kill('SIGTERM')
  const { code, stderr } = await command.ends
  expect(code).toBe(0)
  expect(stderr.match(/Node ID '#2'; --unknown-nodes accept/g)).toHaveLength(2)
})

test('serve/log-why A refused submit says which node, input and value is wrong, or why Python fails on it', async () => {
  const command = start('serve', '--port', '0', '--json', '--clock', 'instant')
  const url = urlIn(await command.says(/\n/))
  const graph = JSON.parse(readFileSync(textToImage, 'utf8')) as Record<
    string,
    { inputs: Record<string, unknown> }
  >
  const changed = (inputs: object) => ({
    ...graph,
    '3': { ...graph['3'], inputs: { ...graph['3']!.inputs, ...inputs } },
  })
  const model = {
    ...graph,
    '4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'mine.safetensors' } },
  }
  const sent = [
    JSON.stringify({ prompt: changed({ sampler_name: 'dpmpp_99' }) }),
    JSON.stringify({ prompt: changed({ steps: 0 }) }),
    JSON.stringify({ prompt: model }),
    JSON.stringify({ prompt: { last_node_id: 9, nodes: [], links: [] } }),
    '{"prompt": null}',
    '{"prompt": {"5": []}}',
    '{"prompt": null, "extra": NaN}',
    '{"prompt"',
    JSON.stringify({
      prompt: { ...graph, 21: node('Foo'), 22: node('Bar'), 23: node('Foo') },
    }),
    JSON.stringify({ prompt: { 1: node('Foo') } }),
  ]
  for (const body of sent) await fetch(`${url}/prompt`, { method: 'POST', body })
  command.process.kill('SIGTERM')
  const { stderr } = await command.ends
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^.*POST \/prompt {2}/, ''))
  const failed = 'Prompt outputs failed validation; '
  const unknown = (id: string): string =>
    `Cannot execute because node Foo does not exist. Node ID '${id}`
  const accepted =
    '--unknown-nodes accept runs unknown node types as pass-through, --nodes FILE adds them, --object-info FILE has those of your server'
  expect(lines).toEqual([
    expect.stringMatching(
      `^${failed}node 3 \\(KSampler\\) Value not in list: sampler_name: 'dpmpp_99' not in .*$`,
    ),
    `${failed}node 3 (KSampler) Value 0 smaller than min of 1: steps`,
    expect.stringMatching(
      `^${failed}node 4 \\(CheckpointLoaderSimple\\) Value not in list: ckpt_name: 'mine.safetensors' .*; --models any`,
    ),
    'prompt is a workflow as the browser saves it; export it in API format: Workflow, Export (API)',
    'prompt has to be an object of nodes',
    "Cannot execute because a node is missing the class_type property. Node ID '#5'",
    'prompt has to be an object of nodes',
    'the body cannot be read as JSON',
    `${unknown("#21'")}; unknown node types: Foo, Bar; ${accepted}`,
    `${unknown("#1'")}; ${accepted}`,
  ])
})
