// What the single file is proved by, in each form that people start it in: it stands alone in a folder.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { root } from '../../support/packed.ts'
import { freePort } from '../../support/free-port.ts'
import { type Addresses, type Command, start, startProcess } from '../../support/spawned.ts'

export const singleFile = join(root, 'dist/flowdouble.cjs')

/** How a form of it is started: a program, and its first arguments. */
export type Form = readonly [program: string, ...first: readonly string[]]

/** The commands of one form, all in one folder. */
export type Started = {
  readonly form: Form
  readonly place: string
  readonly start: (...args: readonly string[]) => Command
  /** Runs a command that ends; resolves to what it prints. */
  readonly prints: (code: number, ...args: readonly string[]) => Promise<string>
  /** Starts one that serves, until it listens. */
  readonly serves: (...args: readonly string[]) => Promise<Command & Addresses>
}

export function startedAs(form: Form, place: string): Started {
  const [program, ...first] = form
  const start: Started['start'] = (...args) => startProcess(program, [...first, ...args], place)
  return {
    form,
    place,
    start,
    prints: async (code, ...args) => {
      const ended = await start(...args).ends
      expect(ended, `${args.join(' ')}\n${ended.stderr}`).toMatchObject({ code })
      return ended.stdout
    },
    serves: async (...args) => {
      const command = start(...args)
      return { ...command, ...(JSON.parse(await command.says(/\n/)) as Addresses) }
    },
  }
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
}

/** Its version, a scenario, and a run to the end: of data, of bundles, and of the packages that it holds. */
export async function provesItself({ place, prints, serves, start }: Started): Promise<void> {
  expect(await prints(0, '--version')).toBe(`${version}\n`)
  const server = await serves('serve', '--port', '0', '--json', '--scenario', 'known-picture')
  await prints(0, 'run', 'image-to-image', '--url', server.url, '--out', 'pictures')
  expect(existsSync(join(place, 'pictures'))).toBe(true)
  await server.stop()
  // Nobody who has it needs npm.
  const shown = start('serve', '--port', '0')
  expect(await shown.says(/Submit a workflow:.*\n/)).not.toContain('npx')
  await shown.stop()
}

/** Commands that need no server: they print what the same command of the package prints. */
const listing: readonly (readonly string[])[] = [
  ['--help'],
  ['scenarios', '--json'],
  ['quirks'],
  ['mutants'],
  ['help', 'check'],
  ['lint', 'text-to-image'],
  ['types', 'text-to-image'],
]

export async function listsTheSame({ prints }: Started): Promise<void> {
  for (const args of listing) {
    const { code, stdout } = await start(...args).ends
    expect(await prints(code ?? -1, ...args), args.join(' ')).toBe(stdout)
  }
  // The package has no suites that prove rules, and a clone has.
  expect(await prints(0, 'rules')).toMatch(/^queue\/\S+ +\w+ +\w+ +- /m)
}

/** A picture so large that a thread encodes it. */
const large = {
  1: { class_type: 'EmptyImage', inputs: { width: 2048, height: 2048, batch_size: 1, color: 255 } },
  2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'large' } },
}

/** Prints what threads send, since a server without a thread encodes the picture itself. */
const hook = `const threads = require('node:worker_threads')
if (threads.isMainThread) threads.Worker = class extends threads.Worker {
  constructor(...all) {
    super(...all)
    this.on('message', ({ length }) => console.error('a thread made', length, 'bytes'))
  }
}`

/** The same form, with a program that it loads first. */
const withHook = (form: Form, file: string): Form => [
  'env',
  `NODE_OPTIONS=--require ${file}`,
  `BUN_OPTIONS=--preload ${file}`,
  ...form,
]

/** What a server reads from the package: documents, node types, the inspector; and what it starts: a thread. */
export async function servesAll({ form, place, prints }: Started): Promise<void> {
  writeFileSync(join(place, 'hook.cjs'), hook)
  const { serves } = startedAs(withHook(form, join(place, 'hook.cjs')), place)
  writeFileSync(join(place, 'large.json'), JSON.stringify(large))
  const kept = ['--journal', 'journal.jsonl', '--overwrite', '--pace', '0']
  for (const like of ['comfyui-0.3.64', 'comfyui-0.33']) {
    const server = await serves('serve', '--port', '0', '--json', '--like', like, ...kept)
    const read = async (path: string): Promise<string> => (await fetch(server.url + path)).text()
    expect(Object.keys(JSON.parse(await read('/object_info')) as object)).toContain('KSampler')
    expect(JSON.parse(await read('/_flowdouble/openapi.json'))).toHaveProperty('openapi')
    expect(await read('/_flowdouble/')).toContain('<script')
    await prints(0, 'run', 'large.json', '--url', server.url, '--out', like)
    expect((await server.stop()).stderr).toMatch(/^a thread made \d{4,} bytes$/m)
    expect(await prints(0, 'explain', '0', '--journal', 'journal.jsonl')).not.toBe('')
  }
  const hosted = await serves('serve', '--port', '0', '--json', '--deployment', 'hosted')
  const key = ['--api-key', 'test-key']
  await prints(0, 'run', 'text-to-image', '--url', hosted.url, ...key, '--out', 'hosted')
  await hosted.stop()
}

/** The judge, on a good server and on a wrong one, and what learns and replays. */
export async function judgesAndReplays({ prints, serves }: Started): Promise<void> {
  const good = await serves('serve', '--port', '0', '--json', '--clock', 'instant')
  await prints(0, 'check', good.url, '--only', 'system/*', '--only', 'queue/by-number')
  const same = await serves('serve', '--port', '0', '--json', '--clock', 'instant')
  await prints(0, 'diff', good.url, same.url, '--sessions', '1')
  await same.stop()
  const recording = await serves('record', good.url, '--port', '0', '--out', 'a.har', '--json')
  await prints(0, 'run', 'text-to-image', '--url', recording.url)
  await recording.stop()
  await good.stop()
  await prints(0, 'check', '--trace', 'a.har')
  await prints(0, 'shrink', 'a.har', '--command', '! grep -q /prompt "$1"')
  await prints(0, 'learn', 'a.har', '--out', 'learned.yaml')
  await prints(0, 'validate', 'learned.yaml')
  const replaying = await serves('replay', 'a.har', '--port', '0', '--json')
  await prints(0, 'run', 'text-to-image', '--url', replaying.url)
  await replaying.stop()
  const mutant = 'access/asks-for-a-key'
  const wrong = await serves('serve', '--port', '0', '--json', '--mutant', mutant)
  await prints(1, 'check', wrong.url, '--only', 'access/*')
  await wrong.stop()
}

/** The gateway: routes in a folder, a signed post to the running one. */
export async function receivesWebhooks({ prints, start }: Started): Promise<void> {
  const at = ['--config-dir', 'home']
  const port = String(await freePort())
  await prints(0, 'gateway', 'setup', '--enable', '--yes', '--port', port, ...at)
  const deliver = ['--deliver', 'telegram', '--deliver-chat-id', '42', '--deliver-only']
  await prints(0, 'webhook', 'subscribe', 'ci', '--prompt', 'Build {status}', ...deliver, ...at)
  const gateway = start('gateway', 'run', ...at)
  await gateway.says(/http:\/\//)
  const posted = await prints(0, 'webhook', 'test', 'ci', '--payload', '{"status": "red"}', ...at)
  expect(posted).toMatch(/200/)
  await gateway.stop()
}
