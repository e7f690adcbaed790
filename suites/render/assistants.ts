// Writes what coding assistants read: llms.txt, and the skill that a project can copy. Made of the README, the help of the
// command, and the spec.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { areas, controlEndpoints } from '../../spec/index.ts'
import type { Endpoint } from '../../spec/language.ts'

const root = join(import.meta.dirname, '../..')

/** Where the package has the skill; agents look for a folder of its name. */
export const skillFile = 'emulator/skills/flowdouble/SKILL.md'

type Manifest = { readonly description: string }
const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

/** The rows of the table of rooms in the README: page, and for whom it is. */
function rooms(): readonly (readonly [link: string, forWhom: string])[] {
  const [, table = ''] = readFileSync(join(root, 'README.md'), 'utf8').split('\n## Rooms\n')
  return [...table.matchAll(/^\| (\[.*?\)) +\| (.*?) +\|$/gm)].map(
    ([, link = '', forWhom = '']) => [link, forWhom] as const,
  )
}

/** The commands of the help, each with what it does. */
function commands(): readonly (readonly [usage: string, does: string])[] {
  const main = join(root, 'dist/bundle/main.cjs')
  const help = execFileSync(process.execPath, [main, '--help'], { encoding: 'utf8' })
  const [, after = ''] = help.split('\nCommands:\n')
  const [lines = ''] = after.split('\n\n')
  return [...lines.matchAll(/^ {2}(\S.*?) {2,}(.*)$/gm)].map(
    ([, usage = '', does = '']) => [usage, does] as const,
  )
}

const item = (name: string, text: string): string => `- ${name}: ${text}`
const code = (text: string): string => `\`${text}\``

const list = (lines: readonly string[]): string => lines.join('\n')

/** How many rules each area has. */
const ruleIndex = (): string =>
  Object.entries(areas)
    .map(([name, { rules }]) => `${code(name)} ${Object.keys(rules).length}`)
    .join(', ')

const commandList = (): string => list(commands().map(([usage, does]) => item(code(usage), does)))

/** The index for programs that read pages, in the form of llmstxt.org. */
export const renderLlms = (): string =>
  [
    '# flowdouble',
    `> ${description}`,
    'It is a command, a library for TypeScript with fixtures for vitest and Playwright, and a package for Python with a plugin ' +
      'for pytest. It needs no GPU, no models and no network.',
    '## Pages',
    list([
      item('[README](README.md)', 'what it is for, in five uses'),
      ...rooms().map(([link, forWhom]) => item(link, `read it if you ${forWhom}`)),
      item(`[skill](${skillFile})`, 'for coding assistants: how to write tests with it'),
    ]),
    '## Formats',
    list([
      item('[scenarios](spec/scenario.schema.json)', 'what goes wrong in a world, and when'),
      item('[options](spec/config.schema.json)', 'the options of a server'),
      item('[control API](spec/openapi.control.json)', 'moves clocks, adds faults, lists requests'),
      item('[local server](spec/openapi.local.json)', 'its paths, as OpenAPI'),
      item('[hosted server](spec/openapi.hosted.json)', 'its paths, as OpenAPI'),
      item('[gateway](spec/openapi.gateway.json)', 'the paths of the webhook gateway, as OpenAPI'),
      item('[socket](spec/asyncapi.json)', 'messages and frames, as AsyncAPI'),
    ]),
    '## Commands',
    commandList(),
    '## Optional',
    list([
      item(
        '[rules](https://github.com/flowdouble/flowdouble/blob/main/spec/PROTOCOL.md#rules)',
        `all rules of the protocol, by area: ${ruleIndex()}`,
      ),
    ]),
  ].join('\n\n') + '\n'

const front = `---
name: flowdouble
description: Test programs that use the ComfyUI HTTP and WebSocket API against flowdouble, a test double of the server. Use it to write or repair tests, fixtures or CI for a ComfyUI client, to play failures such as a full GPU, a lost socket or a 429, to reproduce a bug from a recording, or to check which rules a server or a client breaks.
---`

const vitestProgram = `import { expect } from 'vitest'
import { test as base } from 'flowdouble/vitest'

const test = base.extend({ emulatorOptions: { clock: 'instant' } })
const prompt = { 1: { class_type: 'PreviewAny', inputs: { source: 'hello' } } }

test('runs a workflow', async ({ emulator }) => {
  const body = JSON.stringify({ prompt }) // your client, with emulator.url as its server
  const submitted = await fetch(\`\${emulator.url}/prompt\`, { method: 'POST', body })
  const { prompt_id } = (await submitted.json()) as { prompt_id: string }
  const history = await (await fetch(\`\${emulator.url}/history/\${prompt_id}\`)).json()
  expect(history).toMatchObject({ [prompt_id]: { outputs: { 1: { text: ['hello'] } } } })
})`

const pytestProgram = `import json
from urllib.request import urlopen


def generate(url, text):  # your client
    prompt = {"1": {"class_type": "PreviewAny", "inputs": {"source": text}}}
    run = json.load(urlopen(f"{url}/prompt", json.dumps({"prompt": prompt}).encode()))["prompt_id"]
    return json.load(urlopen(f"{url}/history/{run}"))[run]["outputs"]["1"]["text"]


def test_generate(comfyui):
    assert generate(comfyui.url, "hello") == ["hello"]`

const faultProgram = `import { expect } from 'vitest'
import { test } from 'flowdouble/vitest'

test('meets a full server once', async ({ emulator }) => {
  emulator.fault({ when: { path: '/queue', nth: 1 }, then: { status: 429, retryAfter: 2 } })
  const first = await fetch(\`\${emulator.url}/queue\`)
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '2'])
  await emulator.advance(2000) // two seconds pass, without waiting
  expect((await fetch(\`\${emulator.url}/queue\`)).status).toBe(200)
  expect((await emulator.verify({ path: '/queue', times: 2 })).passed).toBe(true)
})`

const scenario = `version: 1
nodes: [{ class_type: KSampler, run: 1, atStep: 3, exception_type: torch.OutOfMemoryError }]
faults: [{ when: { message: progress, nth: 5 }, then: { reset: true } }]`

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

/** The skill of an assistant that writes tests. */
export const renderSkill = (): string =>
  [
    front,
    '# flowdouble',
    'A test double of servers that speak the ComfyUI HTTP and WebSocket API: real state, live messages, binary previews, a clock ' +
      'of its world, and the same bytes on every run. Prefer it to mocks of `fetch` and to a hand-written fake server: those ' +
      'agree with the client that they were written for, and miss what real servers do.',
    '## Rules for good tests',
    list([
      '- A server for each test: use the fixtures. Nothing is left between tests.',
      '- No sleeps: `clock: instant` lets runs take no time. With `manual` (the default in vitest) move the clock by ' +
        '`advance`, `until` or `untilMessage`, after `received` says that the submit has arrived.',
      '- Script what goes wrong, instead of replacing the client: a fault, or a scenario file.',
      '- Unknown node types and models are refused, as on a real server. Pass the workflow (`for`, `workflows`, `serve --for ' +
        'FILE`), and what it needs is there.',
      '- When a test fails, read the recording that its output names: `npx flowdouble check --trace FILE`.',
    ]),
    '## vitest',
    'With the package of npm among the development dependencies:',
    block('ts', vitestProgram),
    'Playwright takes `base.extend<EmulatorFixtures>(fixtures)` of `flowdouble/playwright`; programs call `startEmulator`.',
    '## pytest',
    'With the package of PyPI, which needs no Node on the machine:',
    block('py', pytestProgram),
    'The marker `@pytest.mark.comfyui(scenario=..., seed=..., clock=..., workflows=[...])` sets options. `comfyui_hosted` is a ' +
      'hosted server, `webhook_gateway` a gateway.',
    '## Script what goes wrong',
    'In a test:',
    block('ts', faultProgram),
    'In a file, such as `mine.yaml`:',
    block('yaml', scenario),
    'More than 60 scenarios have names. `validate` says where a file is wrong, and `serve --watch` loads it again when it ' +
      'changes:',
    block(
      'sh',
      'npx flowdouble scenarios\nnpx flowdouble validate mine.yaml\nnpx flowdouble serve --scenario ./mine.yaml --watch',
    ),
    '`spec/scenario.schema.json` in the package has all of it, and `emulator/README.md` a table of examples.',
    '## Commands',
    '`npx flowdouble COMMAND --help` lists the options of each.',
    commandList(),
    '## Control API',
    'From any language, below the address of a server, a gateway or a world (`spec/openapi.control.json`):',
    list(
      Object.values<Endpoint>(controlEndpoints).map(({ method, path, does }) =>
        item(code(`${method} ${path}`), does),
      ),
    ),
    '## Rules of the protocol',
    `Their ids are \`area/fact\`: look up what a server does, instead of guessing. How many each area has: ${ruleIndex()}.`,
    block('sh', 'npx flowdouble rules | grep ^queue/'),
  ].join('\n\n') + '\n'
