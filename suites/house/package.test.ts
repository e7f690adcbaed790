// The package: the content and size of the tarball, that it serves in an empty folder, and that its types work there.

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { dependencies, pack, type InstalledPackage, root, unpack } from '../support/packed.ts'
import { folder } from '../support/folder.ts'
import { startAt } from '../support/spawned.ts'

type Manifest = {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}
const run = promisify(execFile)

/** Packages that only the examples in comments import. */
const inExamples = { flowdouble: '', '@playwright/test': '' }

/** What users write in a test, and the mistakes that their compiler must find. */
const userTest = `
import { startEmulator, startGateway, type Fault, type NodeRule, type ReceivedRequest, type Scenario } from 'flowdouble'
import type { RunState, RunView, Verification } from 'flowdouble'
import { createEmulator, type Scenario as InPage } from 'flowdouble/browser'
import { mswHandlers } from 'flowdouble/msw'
import { fixtures } from 'flowdouble/playwright'
import { test } from 'flowdouble/vitest'

const busy: Fault = { when: { path: '/prompt', nth: [1, 2] }, then: { status: 503, retryAfter: 1 } }
const failing: NodeRule = { class_type: 'KSampler', atStep: 3, exception_type: 'ValueError' }
const scenario: Scenario = { version: 1, start: { files: [] }, nodes: [failing], faults: [busy] }
const server = await startEmulator({ clock: 'manual', scenario: [scenario, 'out-of-memory'] })
server.fault(busy)
await server.load({ version: 1, nodes: [failing] })
const requests: readonly ReceivedRequest[] = await server.requests({ path: '/prompt' })
const { near }: Verification = await server.verify({ times: 1 })
const runs: readonly RunView[] = server.runs()
const end: RunState = 'success'
const inPage: InPage = scenario
mswHandlers(await createEmulator({ scenario: inPage }))
const own = test.extend({ emulatorOptions: { clock: 'manual' } })
own('a test', ({ emulator }) => void emulator.fault(busy))
console.log(requests[0]?.status, near[0]?.request, runs[0]?.state, end, fixtures.emulator)

// @ts-expect-error -- what a test receives has the same types.
own('a mistake', ({ emulator }) => void emulator.fault({ when: { bogus: 1 }, then: {} }))
// @ts-expect-error -- a scenario has nodes, not nodez.
await startEmulator({ scenario: { version: 1, nodez: [] } })
// @ts-expect-error -- a gateway has agent rules, not agents.
await startGateway({ scenario: { version: 1, gateway: { agents: [] } } })
// @ts-expect-error -- this is not a condition of a fault.
server.fault({ when: { bogus: 1 }, then: { status: 503 } })
// @ts-expect-error -- the effect is called status.
server.fault({ when: {}, then: { stat: 503 } })
// @ts-expect-error -- a fault needs its effect.
server.fault({ when: {} })
// @ts-expect-error -- there is one version.
await server.load({ version: 2 })
// @ts-expect-error -- an outcome is one of three words.
await server.load({ version: 1, runs: [{ outcome: 'sucess' }] })
// @ts-expect-error -- images are a list.
await server.load({ version: 1, nodes: [{ outputs: { images: 3 } }] })
// @ts-expect-error -- a file has a path.
await startEmulator({ scenario: { version: 1, start: { files: [{ text: '' }] } } })
// @ts-expect-error -- rules are not any.
const wrong: { never: true } = scenario.nodes
`

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

describe('the package', () => {
  let packed: InstalledPackage
  let paths: readonly string[]
  beforeAll(async () => {
    packed = await pack()
    paths = packed.files.map(({ path }) => path)
  })

  // It contains the server twice, for Node and for pages, the suites that check runs, and a document for each generation.
  test('has at most 80 files besides scenarios and declarations, 2 MB packed and 7 MB unpacked', () => {
    const others = paths.filter((path) => !/^recordings\/scenarios\/|\.d\.ts$/.test(path))
    expect(others.length).toBeLessThanOrEqual(80)
    expect(packed.size).toBeLessThan(2e6)
    expect(packed.unpackedSize).toBeLessThan(7e6)
  })

  test('contains what it names, and no sources, maps or suites', () => {
    const targets = Object.values(manifest.exports).flatMap((one) =>
      typeof one === 'string' ? one : Object.values(one),
    )
    const named = [...targets, ...Object.values(manifest.bin)].map((path) => join(path))
    expect(named.filter((path) => !paths.includes(path))).toEqual([])
    const odd =
      /\.map$|(?<!\.d|^recordings\/examples\/\w+)\.ts$|^suites\/(?!README)|internal\.|tsbuildinfo|tsconfig/
    expect(paths.filter((path) => odd.test(path))).toEqual([])
  })

  test('keeps the licence of each package that is part of the bundle', () => {
    const emulator = join(root, 'emulator')
    const sources = readdirSync(emulator, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(emulator, file), 'utf8'))
      .join('\n')
      // Types are not part of it.
      .replaceAll(/^import type [^']*'[^']*'$/gm, '')
    const imports = sources.matchAll(/from '((?:@[\w-]+\/)?[a-z][\w-]*)['/]/g)
    const names = new Set([...imports].map(([, name = '']) => name))
    const own = { ...manifest.dependencies, ...manifest.peerDependencies, ...inExamples }
    const inside = [...names].filter((name) => !(name in own))
    expect(inside).toContain('jpeg-js')
    const licences = readFileSync(join(root, 'dist/bundle/THIRD-PARTY.txt'), 'utf8')
    expect(inside.filter((name) => !licences.includes(`\n${name} `))).toEqual([])
  })

  test('contains nothing of Node in what pages load', () => {
    const names = ['browser.js', 'msw.js', 'in-process.js']
    const ofNode =
      /["'`]node:\w+|\b(?:from|import\()\s*["'`](?:fs|path|http|net|crypto|buffer|stream|zlib)\b|\brequire\(/
    const found = names.filter((name) =>
      ofNode.test(readFileSync(join(root, 'dist/bundle', name), 'utf8')),
    )
    expect(found).toEqual([])
    expect(readFileSync(join(root, 'dist/bundle/browser.js'), 'utf8')).not.toContain('msw')
  })

  test('loads one file, and nothing after it, before its first answer', async () => {
    const hook = join(folder(), 'loaded.cjs')
    const files = 'Object.keys(require.cache).filter((file) => file !== __filename)'
    writeFileSync(hook, `process.on('exit', () => console.log(JSON.stringify(${files})))`)
    // The log is loaded after the first answer, for which there would be a line.
    const argv = ['serve', '--port', '0', '--json', '--quiet']
    const server = startAt(join(root, 'dist/bundle/main.cjs'), argv, ['--require', hook])
    const { url } = JSON.parse(await server.says(/\n/)) as { url: string }
    expect((await fetch(`${url}/system_stats`)).status).toBe(200)
    server.process.kill('SIGTERM')
    const { stdout } = await server.ends
    const loaded = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as readonly string[]
    // The command that finds it is small, and so are the few lines that the bundler adds.
    const bundle = ['main.cjs', 'rolldown-runtime.cjs', 'start.cjs']
    expect(loaded.map((file) => basename(file)).toSorted()).toEqual(bundle)
  })

  test('npx starts the command of a clone, after each build', async () => {
    const { stdout } = await run(join(root, manifest.bin['flowdouble']!), ['--version'])
    expect(stdout).toMatch(/^\d+\.\d+\.\d+$/m)
  })

  test('serves and makes pictures in an empty folder, with three dependencies', async () => {
    expect(Object.keys(manifest.dependencies)).toEqual(dependencies)
    const place = await unpack(packed)
    const main = join(place, 'node_modules/flowdouble/dist/bundle/main.cjs')
    const example = join(place, 'node_modules/flowdouble/recordings/workflows/text-to-image.json')
    const out = join(place, 'output')
    const server = startAt(main, ['serve', '--port', '0', '--pace', '0', '--json'])
    const { url } = JSON.parse(await server.says(/\n/)) as { url: string }
    const run = await startAt(main, ['run', example, '--url', url, '--out', out]).ends
    expect(run.code).toBe(0)
    expect(readdirSync(out).every((name) => name.endsWith('.png'))).toBe(true)
    server.process.kill('SIGTERM')
    expect((await server.ends).code).toBe(0)
    expect(await startAt(main, ['--version']).ends).toMatchObject({ code: 0, stderr: '' })
  })
  test('prints its sentence and the line of the caller for wrong use, and nothing of itself', async () => {
    const file = join(await unpack(packed), 'wrong.mjs')
    writeFileSync(
      file,
      "import { startEmulator } from 'flowdouble'\n\nawait startEmulator({ bytes: 3 })\n",
    )
    const { stderr } = (await run(process.execPath, [file]).catch((error: unknown) => error)) as {
      readonly stderr: string
    }
    expect(stderr).toContain('Error: Unknown option bytes. Options: ')
    expect(stderr).toMatch(/wrong\.mjs:3:\d+/)
    expect(stderr).not.toMatch(/dist[\\/]bundle|=>/)
  })

  test('the types of all its entries find the mistakes of users, who have no package that builds it', async () => {
    const place = await unpack(packed)
    for (const name of Object.keys(manifest.peerDependencies))
      symlinkSync(join(root, 'node_modules', name), join(place, 'node_modules', name))
    writeFileSync(join(place, 'user.mts'), userTest)
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const checks = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false']
    const lib = ['--target', 'es2023', '--lib', 'es2023,dom', '--module', 'nodenext']
    const argv = [tsc, '--ignoreConfig', '--noEmit', ...checks, ...lib, 'user.mts']
    const compiled = run(process.execPath, argv, { cwd: place })
    const { stdout } = await compiled.catch((error: { readonly stdout: string }) => error)
    expect(stdout).toBe('')
  })
})
