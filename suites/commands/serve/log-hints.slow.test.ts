// What the log of `serve` says of requests that fail: why, and what would help.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { createRecordReader } from '../../../dist/emulator/internal.js'
import { folder } from '../../support/folder.ts'
import { serving, textToImage } from '../../support/spawned.ts'
import { sourceOn } from '../../support/watch.ts'
import { expect } from '../../judge/expect.ts'

const node = (class_type: string): object => ({ class_type, inputs: {} })

test('serve/log-types A file of node types that is gone by the time of a refusal keeps only the list out of the log', async () => {
  const types = join(folder(), 'types.json')
  writeFileSync(types, JSON.stringify({ Own: { input: { required: {} } } }))
  const { url, stop } = await serving('--nodes', types)
  rmSync(types)
  const prompt = { 1: node('Own'), 2: node('Foo'), 3: node('Bar') }
  const sent = { method: 'POST', body: JSON.stringify({ prompt }) }
  for (const attempt of [1, 2])
    expect([attempt, (await fetch(`${url}/prompt`, sent)).status]).toEqual([attempt, 400])
  const { stderr } = await stop()
  expect(stderr.match(/Node ID '#2'; --for WORKFLOW/g)).toHaveLength(2)
})

test('serve/log-for Types that are inferred from a workflow are not among the unknown types of a refusal', async () => {
  const inferred = { 1: node('Own') }
  const file = join(folder(), 'mine.json')
  writeFileSync(file, JSON.stringify(inferred))
  const { url, stop } = await serving('--for', file)
  const prompt = { ...inferred, 2: node('Foo'), 3: node('Bar') }
  await fetch(`${url}/prompt`, { method: 'POST', body: JSON.stringify({ prompt }) })
  expect((await stop()).stderr).toMatch(/; unknown node types: Foo, Bar;/)
})

test('serve/log-why A refused submit says which node, input and value is wrong, or why Python fails on it', async () => {
  const { url, stop } = await serving('--clock', 'instant')
  const graph: any = JSON.parse(readFileSync(textToImage, 'utf8'))
  const changed = (inputs: object) => ({
    ...graph,
    '3': { ...graph['3'], inputs: { ...graph['3'].inputs, ...inputs } },
  })
  const model = {
    ...graph,
    '4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'mine.safetensors' } },
  }
  const failed = 'Prompt outputs failed validation; '
  const unknown = (id: string): string =>
    `Cannot execute because node Foo does not exist. Node ID '${id}`
  const accepted =
    '--for WORKFLOW.json infers them from the workflow, --object-info FILE has those of your server, --nodes FILE adds some, --unknown-nodes accept runs any as pass-through'
  const rows: readonly (readonly [prompt: object | string, says: string | RegExp])[] = [
    [
      changed({ sampler_name: 'dpmpp_99' }),
      /^Prompt outputs failed validation; node 3 \(KSampler\) Value not in list: sampler_name: 'dpmpp_99' not in .*$/,
    ],
    [changed({ steps: 0 }), `${failed}node 3 (KSampler) Value 0 smaller than min of 1: steps`],
    [
      model,
      /^Prompt outputs failed validation; node 4 \(CheckpointLoaderSimple\) Value not in list: ckpt_name: 'mine.safetensors' .*; --for WORKFLOW\.json adds its models, --models any/,
    ],
    [
      { last_node_id: 9, nodes: [], links: [] },
      'prompt is a workflow as the browser saves it; export it in API format: Workflow, Export (API)',
    ],
    ['{"prompt": null}', 'prompt has to be an object of nodes'],
    [{ 5: [] }, "Cannot execute because a node is missing the class_type property. Node ID '#5'"],
    ['{"prompt": null, "extra": NaN}', 'prompt has to be an object of nodes'],
    ['{"prompt"', 'the body cannot be read as JSON'],
    [
      { ...graph, 21: node('Foo'), 22: node('Bar'), 23: node('Foo') },
      `${unknown("#21'")}; unknown node types: Foo, Bar; ${accepted}`,
    ],
    [{ 1: node('Foo') }, `${unknown("#1'")}; ${accepted}`],
  ]
  for (const [prompt] of rows) {
    const body = typeof prompt === 'string' ? prompt : JSON.stringify({ prompt })
    await fetch(`${url}/prompt`, { method: 'POST', body })
  }
  const lines = (await stop()).stderr.trimEnd().split('\n')
  expect(lines.map((line) => line.replace(/^.*POST \/prompt {2}/, ''))).toEqual(
    rows.map(([, says]) => (typeof says === 'string' ? says : expect.stringMatching(says))),
  )
})

test('serve/log-nearest A request that no endpoint answers is logged with the nearest endpoint', async () => {
  const read = async (deployment: 'local' | 'hosted', ...requests: [string, string][]) => {
    const reader = createRecordReader(sourceOn(undefined, deployment))
    const server = await startEmulator({
      deployment,
      onEntry: (entry) => {
        for (const record of reader(entry))
          if (record.event === 'request') hints.push(record.hints?.[0])
      },
    })
    const hints: (string | undefined)[] = []
    for (const [method, path] of requests)
      await fetch(server.url + path, { method, headers: { 'X-API-Key': 'test-key' } })
    await server.close()
    return hints
  }
  expect(
    await read(
      'local',
      ['GET', '/histroy/abc'],
      ['POST', '/promt'],
      ['GET', '/api/sytem_stats'],
      ['DELETE', '/queue'],
      ['GET', '/something/else/entirely'],
      ['GET', '/view?filename=none.png'],
    ),
  ).toEqual([
    'the nearest endpoint is GET /history/{prompt_id}',
    'the nearest endpoint is POST /prompt',
    'the nearest endpoint is GET /api/system_stats',
    'this path takes GET, HEAD, POST',
    undefined,
    undefined,
  ])
  expect(
    await read('hosted', ['POST', '/prompt'], ['GET', '/api/jbos'], ['GET', '/api/jobs/none']),
  ).toEqual(['the hosted path is /api/prompt', 'the nearest endpoint is GET /api/jobs', undefined])
})
