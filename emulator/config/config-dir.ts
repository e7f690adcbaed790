// The configuration directory: settings from config.yaml, .env and the environment, and the writing of the first two.

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { isMap, parseDocument, type Document } from 'yaml'
import { configDirectory, configFiles, gatewaySettings } from '../../spec/gateway/subscriptions.ts'
import { makeWritableFolder } from '../client/folders.ts'
import { didYouMean } from '../lib/nearest.ts'
import { isRefused, refused } from '../lib/refused.ts'
import { readVariables } from './env-file.ts'
import { readText, realPlace, replaceFile } from './files.ts'
import { type Candidate, decide, isOn, type Settings } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The configuration directory of a command: that of its flag, of the variable, or the one in the home of the user. */
export function configDirOf(flag: string | undefined, env: Environment, cwd: string): string {
  const named = flag ?? env[configDirectory.variable]
  if (named) return resolve(cwd, named)
  return join(env['HOME'] || homedir(), configDirectory.folder)
}

/** Where a reader of settings comes from, apart from the files. */
export type Given = {
  readonly env: Environment
  /** Values of flags by setting, where they are given. */
  readonly flags?: Readonly<Record<string, unknown>>
  readonly quirks?: readonly string[]
  /** Whether a command asks that only looks at subscriptions. */
  readonly isWebhookCommand?: boolean
}

/**
 * The settings that hold, each from the first of its sources that has it.
 * Throws a refusal that names a setting whose value cannot be used, and for files that cannot be read.
 */
export async function readSettings(dir: string, given: Given): Promise<Settings> {
  const { env, flags = {}, quirks = [], isWebhookCommand = false } = given
  const { config, variables: all } = await readSources(dir, env)
  requireKnown(config)
  const ignoresEnv = isWebhookCommand && quirks.includes('webhooks.cli-ignores-env')
  const variables = ignoresEnv ? [] : all
  const { variable: switchVariable } = gatewaySettings.enabled
  const needsEnabled = quirks.includes('webhooks.env-needs-enabled')
  const isEnabledThere = variables.some((one) => isOn(one[switchVariable]))
  return decide(({ name, key, variable }) => {
    const found: Candidate[] = []
    if (flags[name] !== undefined) found.push({ value: flags[name], where: `--${name}` })
    const isInEffect = !needsEnabled || isEnabledThere || variable === switchVariable
    if (variable !== undefined && isInEffect) {
      const places = ['the environment', configFiles.env.name]
      variables.forEach((one, at) =>
        found.push({ value: one[variable], where: `${variable} of ${places[at]}` }),
      )
    }
    found.push({ value: valueAt(config, key), where: `${key} of ${configFiles.config.name}` })
    return found
  })
}

/** Refuses members of the gateway's own blocks that are not settings: other blocks of the file are not ours. */
function requireKnown(config: unknown): void {
  const keys = Object.values(gatewaySettings).map(({ key }) => key)
  const blocks = new Set(keys.map((key) => key.slice(0, key.lastIndexOf('.'))))
  for (const block of blocks) {
    const known = keys
      .filter((key) => key.startsWith(`${block}.`))
      .map((key) => key.slice(block.length + 1).split('.', 1)[0] ?? '')
    const found = valueAt(config, block)
    if (typeof found !== 'object' || found === null) continue
    const unknown = Object.keys(found).find((name) => !known.includes(name))
    if (unknown === undefined) continue
    throw refused(
      `${block}.${unknown} of ${configFiles.config.name} is not a setting.${didYouMean(unknown, known)} Known: ${[...new Set(known)].join(', ')}.`,
    )
  }
}

/** Where settings are looked for: config.yaml as data, and variables, those of the environment first. */
export type Sources = { readonly config: unknown; readonly variables: readonly Environment[] }

/** Reads the files of the directory. Throws a refusal for those that cannot be read. */
export async function readSources(dir: string, env: Environment): Promise<Sources> {
  const config = plain(await readConfig(dir))
  return { config, variables: [env, readVariables(await readEnv(dir))] }
}

const readEnv = async (dir: string): Promise<string> =>
  (await readTextOf(dir, configFiles.env.name)).replace(/^\uFEFF/, '')

/** The text of a file of the directory, empty where there is none. */
async function readTextOf(dir: string, name: string): Promise<string> {
  const read = await readText(await realPlace(join(dir, name)))
  if (!read.isThere) return ''
  if (read.text === undefined) throw refused(`${join(dir, name)} is no text in UTF-8.`)
  return read.text
}

async function readConfig(dir: string): Promise<Document> {
  const { name } = configFiles.config
  const document = parseDocument(await readTextOf(dir, name), { prettyErrors: false })
  const [error] = document.errors
  if (error === undefined) return document
  // The reader's own message quotes the line, and a secret may stand in it.
  throw refused(`${join(dir, name)} is no YAML: ${error.code} at character ${error.pos[0]}.`)
}

function plain(document: Document): unknown {
  try {
    return document.toJS()
  } catch {
    throw refused(`${configFiles.config.name} has aliases that lead nowhere, or too many of them.`)
  }
}

/** The value under a dotted key. Throws a refusal where something on the way has no members. */
export function valueAt(config: unknown, key: string): unknown {
  let value = config
  let path = ''
  for (const part of key.split('.')) {
    if (value === null || value === undefined) return undefined
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw refused(
        `${path || 'The whole'} of ${configFiles.config.name} has no members: it is no map.`,
      )
    }
    value = Object.hasOwn(value, part) ? (value as Record<string, unknown>)[part] : undefined
    path = path === '' ? part : `${path}.${part}`
  }
  return value
}

/** Settings to write, by the name of the setting; those that are missing stay as they are. */
export type Answers = Readonly<Partial<Record<'enabled' | 'host' | 'port' | 'secret', unknown>>>

/**
 * Writes answers where they belong: the secret into .env, the rest into config.yaml, whose comments stay. A variable of
 * .env that would win over an answer gets it too. Resolves to the paths that were written.
 * Throws a refusal, before anything is written, for files that cannot be understood or written.
 */
export async function writeSettings(dir: string, answers: Answers): Promise<readonly string[]> {
  const document = await readConfig(dir)
  const before = JSON.stringify(plain(document))
  for (const [name, value] of Object.entries(answers)) {
    if (name !== 'secret')
      put(document, gatewaySettings[name as keyof Answers].key.split('.'), value)
  }
  const env = await readEnv(dir)
  let newEnv = env
  for (const [name, value] of Object.entries(answers)) {
    const setting = gatewaySettings[name as keyof Answers]
    if (!('variable' in setting)) continue
    if (name === 'secret' || readVariables(newEnv)[setting.variable] !== undefined)
      newEnv = withVariable(newEnv, setting.variable, String(value))
  }
  const changed: string[] = []
  try {
    await makeWritableFolder(dir)
    const { config, env: envFile } = configFiles
    // A secret that is there already may stand in a file that is too wide.
    if (newEnv !== env || 'secret' in answers)
      changed.push(await write(dir, envFile.name, newEnv, envFile.mode))
    if (JSON.stringify(plain(document)) !== before) {
      const text = document.toString({ lineWidth: 0 })
      changed.push(await write(dir, config.name, text, await modeOf(dir)))
    }
  } catch (error) {
    if (isRefused(error)) throw error
    throw refused(`The settings in ${dir} cannot be written: ${(error as Error).message}.`)
  }
  return changed
}

async function write(dir: string, name: string, text: string, mode: number): Promise<string> {
  await replaceFile(await realPlace(join(dir, name)), text, mode)
  return join(dir, name)
}

/** config.yaml keeps the mode that it has. */
async function modeOf(dir: string): Promise<number> {
  const { name, mode } = configFiles.config
  const read = await readText(await realPlace(join(dir, name)))
  return read.isThere ? read.mode : mode
}

/** Sets a value in a document; maps on the way that are missing, or empty, are made. */
function put(document: Document, path: readonly string[], value: unknown): void {
  for (let depth = 0; depth < path.length; depth++) {
    const above = path.slice(0, depth)
    const found: unknown = depth === 0 ? document.contents : document.getIn(above, true)
    if (isMap(found)) continue
    const isEmpty =
      depth === 0 ? plain(document) === null : (document.getIn(above) ?? null) === null
    if (!isEmpty)
      throw refused(`${above.join('.') || 'The whole'} of config.yaml is no map of its own.`)
    if (depth === 0) document.contents = document.createNode({}) as Document['contents']
    else document.setIn(above, document.createNode({}))
  }
  document.setIn(path, value)
}

/** A text of .env in which a variable has a value; its line stays where it is. Throws a refusal where that cannot be. */
function withVariable(text: string, name: string, value: string): string {
  const quote = ["'", '"', '`'].find((mark) => !value.includes(mark) && !/[\\\n\r]/.test(value))
  const spelled = /^[\w./:@%+=-]+$/.test(value) ? value : `${quote}${value}${quote}`
  const line = `${name}=${spelled}`
  const pattern = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'm')
  const end = text === '' || text.endsWith('\n') ? '' : '\n'
  const written = pattern.test(text) ? text.replace(pattern, () => line) : `${text}${end}${line}\n`
  const { [name]: _, ...others } = readVariables(text)
  const { [name]: read, ...kept } = readVariables(written)
  if (read === value && JSON.stringify(kept) === JSON.stringify(others)) return written
  throw refused(
    `${name} cannot be written to ${configFiles.env.name} as it is. Change that file by hand.`,
  )
}
