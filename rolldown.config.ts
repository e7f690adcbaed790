// How the package is bundled: one file with all that `serve` loads before it listens, since each further file costs time;
// the rest is loaded when it is needed. CommonJS, as Node starts it in less time than modules. What runs in a page, and
// the fixtures of test runners, are modules.

import { readFileSync, readdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { deflateSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'rolldown'
import { viteImportGlobPlugin } from 'rolldown/experimental'

const source = (file: string): string => join(import.meta.dirname, 'emulator', file)

/** What a module imports while it is loaded, with what that imports, and itself. */
function loadedBy(
  id: string,
  importsOf: (id: string) => readonly string[],
  loaded = new Set<string>(),
): Set<string> {
  if (loaded.has(id)) return loaded
  loaded.add(id)
  for (const one of importsOf(id)) loadedBy(one, importsOf, loaded)
  return loaded
}

/** Writes down the licences of the packages that are part of the bundle. */
const licences: Plugin = {
  name: 'licences',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? file.moduleIds : [],
    )
    const folders = modules.flatMap(
      (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? [],
    )
    const texts = [...new Set(folders)].toSorted().map(licenceOf)
    const source = `This package contains code of these others.\n\n${texts.join('\n\n')}`
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.txt', source })
  },
}

/**
 * Keeps Node from printing a line of the bundle, which has thousands of characters, above an exception that nobody
 * catches: it leaves out a line with this text.
 */
const unprinted: Plugin = {
  name: 'unprinted',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk')
        file.code = file.code.replaceAll(
          /^(.*?\})(?=function \w+\()/gm,
          '$1/*node-do-not-add-exception-line*/',
        )
  },
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Readonly<Record<string, string>>
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  if (file === undefined) throw new Error(`${name} has no licence text that could be passed on.`)
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}

const declared = join(import.meta.dirname, 'dist')

/** The public entries, as declarations: those that package.json names. */
const published = ['index', 'browser', 'msw', 'edge/fixtures/vitest', 'edge/fixtures/playwright']

/** What no published type depends on, where users do not read: comments, descriptions of JSON Schemas, and rules. */
const notes =
  /^ *(?:readonly description: (?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*');|\/\*\*[^]*?\*\/)\n|^export declare const rules: \{\n[^]*?^\};\n/gm
const internals =
  /^types\/(?:spec|emulator\/(?!options|types|index|edge\/(?:handles|fixtures)|gateway\/state\/(?:run|inputs)))/

/** Adds the declarations that those of the public entries need, as the compiler wrote them, without notes. */
const types: Plugin = {
  name: 'types',
  generateBundle() {
    const importsOf = (file: string): readonly string[] =>
      [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)\.ts'/g)].map(
        ([, path = '']) => join(file, '..', `${path}.d.ts`),
      )
    const files = new Set<string>()
    for (const name of published)
      loadedBy(join(declared, `emulator/${name}.d.ts`), importsOf, files)
    for (const file of files) {
      const fileName = join('types', relative(declared, file))
      const whole = readFileSync(file, 'utf8')
      const source = internals.test(fileName) ? whole.replaceAll(notes, '') : whole
      this.emitFile({ type: 'asset', fileName, source })
    }
  },
}

/** Puts the script and the style of a folder into its page, which loads no other file. */
const pageOf = (folder: string): Plugin => ({
  name: 'page',
  generateBundle(_, bundle) {
    const [chunk] = Object.values(bundle)
    if (chunk?.type !== 'chunk') throw new Error('A page has one script.')
    const text = (name: string): string => readFileSync(source(`${folder}/${name}`), 'utf8')
    const style = text('style.css')
      .replace(/\s+/g, ' ')
      .replace(/ ?([{};,>]) ?|(:) /g, '$1$2')
      .replaceAll(';}', '}')
    const page = text('page.html')
      .replace(/\n\s*/g, '\n')
      .replace('/*style*/', () => style)
      .replace('/*script*/', () => chunk.code.trim().replaceAll('</script', '<\\/script'))
    delete bundle[chunk.fileName]
    this.emitFile({ type: 'asset', fileName: `${basename(folder)}.html`, source: page })
  },
})

const schemaSource = readFileSync(join(import.meta.dirname, 'spec/schema.ts'), 'utf8')
const schemaMakers = schemaSource.match(/(?<=^export const )\w+(?= = <)/gm) ?? []
const pureCalls = ['rulesOf', 'observedIn', 'observedAt', 'coded', ...schemaMakers].join('|')
const beforePureCalls = new RegExp(`(?<=[=:(,>] ?|^ +|\\.{3})(?=(?:${pureCalls})\\()`, 'gm')

/** Lets rules, endpoints and schemas that a bundle does not use go, although they are made of other constants. */
const unusedRules: Plugin = {
  name: 'unused-rules',
  transform(code, id) {
    if (!id.startsWith(join(import.meta.dirname, 'spec/'))) return null
    return code
      .replaceAll(
        /^(export const (?:rules|outcomes|\w*(?:[eE]ndpoints|[rR]efusals)) =) (\{\n.*?^\}) as const satisfies \w+$/gms,
        '$1 /* @__PURE__ */ (() => ($2))()',
      )
      .replaceAll(beforePureCalls, '/* @__PURE__ */ ')
  },
}

/** What suites share with the emulator: from its source, so that the bundle holds the spec once. */
const readerOfSessions: Plugin = {
  name: 'reader-of-sessions',
  resolveId: (id) =>
    id.endsWith('/dist/emulator/session/index.js') ? source('session/index.ts') : null,
}

const forRouting = new Set('method path hostedPath unaliased on since before does'.split(' '))

/** Leaves the schemas of the endpoints out: routing does not need them, and they would be a tenth of the start. */
const routing: Plugin = {
  name: 'routing',
  async load(id) {
    if (!id.endsWith('/spec/server/all-endpoints.ts')) return null
    const all = (await import(join(declared, 'spec/server/all-endpoints.js'))) as Endpoints
    const constants = Object.entries(all).map(
      ([name, endpoints]) =>
        `export const ${name} = ${JSON.stringify(mapValues(endpoints, routed))}`,
    )
    return { code: constants.join('\n'), moduleType: 'js' }
  },
}
type Endpoints = Readonly<Record<string, Readonly<Record<string, object>>>>

const mapValues = <T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))

const routed = (endpoint: object): object =>
  Object.fromEntries(Object.entries(endpoint).filter(([key]) => forRouting.has(key)))

type Modules = {
  readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null
}

/** A chunk with all that these files load, and nothing else. */
const chunkOf = (debugName: string, ...entries: readonly string[]) => {
  let ids: ReadonlySet<string> | undefined
  const name = (id: string, modules: Modules): string | null => {
    const importsOf = (one: string) => modules.getModuleInfo(one)?.importedIds ?? []
    ids ??= entries.reduce((all, one) => loadedBy(source(one), importsOf, all), new Set<string>())
    return ids.has(id) ? debugName : null
  }
  return { debugName, name }
}

const shared = {
  platform: 'node',
  // Modules, of which what nobody uses can be left out.
  resolve: { mainFields: ['module', 'main'] },
  // The hosted server needs the picture codecs from its beginning, others later.
  checks: { ineffectiveDynamicImport: false },
  output: {
    dir: 'dist/bundle',
    format: 'cjs',
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    comments: { legal: true, annotation: false, jsdoc: false },
  },
} as const

const modules = {
  dir: 'dist/bundle',
  format: 'esm',
  minify: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
} as const

/** A file of the spec as a literal, a tenth of its size: deflated, in base64, with the size. */
function packed(name: string): string {
  const bytes = readFileSync(join(import.meta.dirname, `spec/${name}.json`))
  return JSON.stringify([deflateSync(bytes, { level: 9 }).toString('base64'), bytes.length])
}

const define = {
  BUILT_IN_NODE_TYPES: packed('node-types'),
  LATER_NODE_TYPES: packed('later-node-types'),
}
const inPage = {
  platform: 'browser' as const,
  checks: { ineffectiveDynamicImport: false },
  plugins: [unusedRules],
  transform: { define },
}

/** What pages load beside the one file of an emulator. */
const besideEmulator = /\/(msw|later-node-types)\.ts$/

/** The fixtures share the server with the public entry, which exports it. */
const nodeServer = /edge\/node\/server\.ts$/
const besideIndex = (id: string): string => (nodeServer.test(id) ? './index.cjs' : id)

/**
 * The sentences of the rules are a fifth of the start, and only a command and the option `explain` need them: what prints
 * them has a bundle of its own.
 */
const withSentences = /\/(rules|rules-behind|rule-headers)\.ts$/

/** All rules, which the command exports for the suites. */
const allRules = /\/spec\/rules\.ts$/

const printingRules = ['cli/rules.ts', 'journal/rules-behind.ts', 'journal/rule-headers.ts']

/** What records and replays sessions and infers types, for the commands and for the public entry. */
const ofRecordings =
  /\/emulator\/(session|recording|infer|edge\/(proxy|replay)|cli\/recordings)\/|\/edge\/(gateway\/)?recording\.ts$/

/** The commands that print short lists, and what completes command lines from them. */
const ofLists = /\/cli\/(lists|completion)\//

/** What runs a workflow, also for `serve --run`. */
const onRun = /\/(cli\/(serve-)?run|client\/workflow|config\/folders)\.ts$/

/** What infers node types from workflows, and checks workflows. */
const onTypes =
  /\/emulator\/(infer\/(infer|needs|server-types|for-workflows)|cli\/(types|lint)|edge\/node\/(for-workflows|lint))\.ts$/

/** What checks scenario files, and reloads them. */
const onScenarios = /\/(cli\/(validate|watch\/\w+)|try-scenario|scenario-warnings)\.ts$/

/** The commands of a gateway, with its files and its store. */
const onSettings = /\/(cli\/gateway\/.*|gateway\/store\/.*|sender-settings|subscriptions-file)\.ts$/

/** What the first control request loads, in one file. */
const onControl =
  /\/(received[\w-]*|edge\/filters|(server|world|run)-paths|edge\/gateway\/control|edge\/inspector\/\w+|edge\/node\/openapi|spec\/control)\.ts$/

/** What writes a journal, in one file. */
const onJournal = /\/journal\/(lines|placeholders|redact-target|known-secrets|repeats)\.ts$/

export default defineConfig([
  {
    ...shared,
    input: {
      main: source('cli/main.ts'),
      index: source('index.ts'),
      internal: source('internal.ts'),
      'picture-worker': source('edge/node/pictures/picture-worker.ts'),
    },
    external: ['ws', 'yaml', 'pg', 'node-sqlite3-wasm', withSentences],
    plugins: [licences, routing, unusedRules, unprinted, types],
    output: {
      ...shared.output,
      cleanDir: true,
      // Functions keep their names, for the traces of exceptions.
      minify: { compress: true, mangle: { keepNames: true } },
      paths: (id) => {
        const name = withSentences.exec(id)?.[1]
        return name === undefined ? id : `./${name}.cjs`
      },
      codeSplitting: {
        groups: [
          { ...chunkOf('start', 'cli/serve.ts'), priority: 2 },
          { name: 'control', test: onControl, priority: 2 },
          { name: 'recording', test: ofRecordings, priority: 1 },
          { name: 'journal', test: onJournal, priority: 1 },
          { name: 'saved', test: /\/saved\/(keeper|state-folder|world-file)\.ts$/, priority: 1 },
          { name: 'metrics', test: /\/(metrics|loop-lag|process-facts)\.ts$/, priority: 1 },
          { name: 'explain', test: /\/(cli|journal)\/explain(-gateway)?\.ts$/, priority: 1 },
          { name: 'types', test: onTypes, priority: 1 },
          { name: 'validate', test: onScenarios, priority: 1 },
          { name: 'settings', test: onSettings, priority: 1 },
          { name: 'lists', test: ofLists, priority: 1 },
          { name: 'run', test: onRun, priority: 1 },
          { name: 'check', test: /\/(cli\/(check\/\w+|diff)|spec\/check)\.ts$/, priority: 1 },
        ],
      },
    },
  },
  // They share the sentences of the rules. No command loads the wrong servers without --mutant.
  {
    ...shared,
    input: {
      rules: source('cli/rules.ts'),
      'rules-behind': source('journal/rules-behind.ts'),
      'rule-headers': source('journal/rule-headers.ts'),
      'served-mutants': join(import.meta.dirname, 'suites/mutants/served.ts'),
    },
    external: ['ws', 'yaml', 'pg', 'node-sqlite3-wasm'],
    plugins: [readerOfSessions],
    output: {
      ...shared.output,
      minify: true,
      // One file beside the entries, whose name no other bundle has, with what the rules load: not what the wrong servers do.
      codeSplitting: { groups: [chunkOf('sentences', ...printingRules)] },
    },
  },
  {
    ...shared,
    input: { judge: join(import.meta.dirname, 'suites/check/main.ts') },
    // What only worlds of the suites need is not part of it, and the sentences of the rules have a bundle.
    external: [
      /^(?:ws|yaml|msw\/node|undici)$/,
      /^flowdouble(?:\/|$)/,
      /dist\/emulator\/internal/,
      allRules,
    ],
    plugins: [unusedRules, readerOfSessions, viteImportGlobPlugin({ root: import.meta.dirname })],
    tsconfig: false,
    resolve: { alias: { vitest: join(import.meta.dirname, 'suites/check/host.ts') } },
    output: {
      ...shared.output,
      paths: (id) => (id === 'flowdouble' ? './index.cjs' : allRules.test(id) ? './rules.cjs' : id),
      // One file: it is loaded for one command, as a whole.
      codeSplitting: false,
      minify: true,
    },
  },
  {
    input: { browser: source('browser.ts'), msw: source('msw.ts') },
    ...inPage,
    external: ['msw'],
    output: {
      ...modules,
      // One file beside the entries: all that an emulator can need, as a page cannot know what it will. Few need the
      // node types of later generations, which the server on Node reads too.
      codeSplitting: {
        groups: [
          { debugName: 'page', name: (id) => (besideEmulator.test(id) ? null : 'in-process') },
        ],
      },
    },
  },
  // Not part of the package: `npm run build:worker` makes it. One file, which the configuration embeds.
  {
    input: { worker: source('edge/worker/worker.ts') },
    ...inPage,
    output: { ...modules, dir: 'dist/worker', codeSplitting: false },
  },
  ...['inspector', 'inspector/admin'].map((folder) => ({
    input: { page: source(`${folder}/main.ts`) },
    platform: 'browser' as const,
    checks: { ineffectiveDynamicImport: false },
    plugins: [unusedRules, pageOf(folder)],
    output: { dir: 'dist/bundle', format: 'iife' as const, minify: true },
  })),
  // Each by itself, so that what they share is not a further file.
  ...['vitest', 'playwright'].map((name) => ({
    input: { [name]: source(`edge/fixtures/${name}.ts`) },
    platform: 'node' as const,
    external: ['vitest', nodeServer],
    output: { ...modules, paths: besideIndex },
  })),
])
