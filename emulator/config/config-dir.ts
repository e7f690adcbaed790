// The configuration directory: reads settings from config.yaml, .env and the environment, and writes the two files.

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { isMap, parseDocument, type Document } from 'yaml'
import { configDirectory, configFiles, gatewaySettings } from '../../spec/gateway/subscriptions.ts'
import { makeWritableFolder } from './folders.ts'
import { didYouMean } from '../lib/nearest.ts'
import { isRefused, refused } from '../lib/refused.ts'
import { readVariables } from './env-file.ts'
import { readText, realPlace, replaceFile } from './files.ts'
import { type Candidate, decide, isOn, type Settings } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The configuration directory: from the flag, the environment variable, or in the home directory. */
export function configDirOf(flag: string | undefined, env: Environment, cwd: string): string {
  const named = flag ?? env[configDirectory.variable]
  if (named) return resolve(cwd, named)
  return join(env['HOME'] || homedir(), configDirectory.folder)
}

/** Where settings come from besides the files. */
export type SettingSources = {
  readonly env: Environment
  /** Values of flags by setting. */
  readonly flags?: Readonly<Record<string, unknown>>
  readonly quirks?: readonly string[]
  /** Whether the command only looks at subscriptions. */
  readonly isWebhookCommand?: boolean
}

/**
 * The effective settings, each from the first source that has it.
 * Throws a refusal that names a setting with an invalid value, and for files that it cannot read.
 */
export async function readSettings(dir: string, given: SettingSources): Promise<Settings> {
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

/** Rejects unknown members of the gateway's blocks. Ignores other blocks of the file. */
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
      `${block}.${unknown} of ${configFiles.config.name} is not a setting.${didYouMean(unknown, known)} Settings: ${[...new Set(known)].join(', ')}.`,
    )
  }
}

/** The sources of settings: config.yaml as data, and variables, those of the environment first. */
export type ConfigSources = { readonly config: unknown; readonly variables: readonly Environment[] }

/** Reads the files of the directory. Throws a refusal for a file that it cannot read. */
export async function readSources(dir: string, env: Environment): Promise<ConfigSources> {
  const config = plain(await readConfig(dir))
  return { config, variables: [env, readVariables(await readEnv(dir))] }
}

const readEnv = async (dir: string): Promise<string> =>
  (await readTextOf(dir, configFiles.env.name)).replace(/^\uFEFF/, '')

/** The text of a file of the directory; empty if it does not exist. */
async function readTextOf(dir: string, name: string): Promise<string> {
  const read = await readText(await realPlace(join(dir, name)))
  if (!read.isThere) return ''
  if (read.text === undefined)
    throw refused(`${join(dir, name)} is not valid UTF-8. Save it as UTF-8.`)
  return read.text
}

async function readConfig(dir: string): Promise<Document> {
  const { name } = configFiles.config
  const document = parseDocument(await readTextOf(dir, name), { prettyErrors: false })
  const [error] = document.errors
  if (error === undefined) return document
  // The message of the YAML reader quotes the line, which can contain a secret.
  throw refused(`${join(dir, name)} is not valid YAML: ${error.code} at character ${error.pos[0]}.`)
}

function plain(document: Document): unknown {
  try {
    return document.toJS()
  } catch {
    throw refused(`${configFiles.config.name} has unresolved aliases, or too many of them.`)
  }
}

/** The value under a dotted key. Throws a refusal if a parent is not a map. */
export function valueAt(config: unknown, key: string): unknown {
  let value = config
  let path = ''
  for (const part of key.split('.')) {
    if (value === null || value === undefined) return undefined
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw refused(`${path || 'The whole'} of ${configFiles.config.name} is not a map.`)
    }
    value = Object.hasOwn(value, part) ? (value as Record<string, unknown>)[part] : undefined
    path = path === '' ? part : `${path}.${part}`
  }
  return value
}

/** Settings to write, by name; missing ones stay as they are. */
export type SetupAnswers = Readonly<
  Partial<Record<'enabled' | 'host' | 'port' | 'secret', unknown>>
>

/**
 * Writes answers to their files: the secret to .env, the rest to config.yaml, where comments stay. Also updates a variable
 * of .env that would override an answer. Resolves to the paths of the written files.
 * Throws a refusal, before it writes anything, for files that it cannot parse or write.
 */
export async function writeSettings(
  dir: string,
  answers: SetupAnswers,
): Promise<readonly string[]> {
  const document = await readConfig(dir)
  const before = JSON.stringify(plain(document))
  for (const [name, value] of Object.entries(answers)) {
    if (name !== 'secret')
      setValue(document, gatewaySettings[name as keyof SetupAnswers].key.split('.'), value)
  }
  const env = await readEnv(dir)
  let newEnv = env
  for (const [name, value] of Object.entries(answers)) {
    const setting = gatewaySettings[name as keyof SetupAnswers]
    if (!('variable' in setting)) continue
    if (name === 'secret' || readVariables(newEnv)[setting.variable] !== undefined)
      newEnv = withVariable(newEnv, setting.variable, String(value))
  }
  const changed: string[] = []
  try {
    await makeWritableFolder(dir)
    const { config, env: envFile } = configFiles
    // The file can already contain a secret and have too wide a mode.
    if (newEnv !== env || 'secret' in answers)
      changed.push(await writeConfigFile(dir, envFile.name, newEnv, envFile.mode))
    if (JSON.stringify(plain(document)) !== before) {
      const text = document.toString({ lineWidth: 0 })
      changed.push(await writeConfigFile(dir, config.name, text, await modeOf(dir)))
    }
  } catch (error) {
    if (isRefused(error)) throw error
    throw refused(`Cannot write the settings in ${dir}: ${(error as Error).message}.`)
  }
  return changed
}

async function writeConfigFile(
  dir: string,
  name: string,
  text: string,
  mode: number,
): Promise<string> {
  await replaceFile(await realPlace(join(dir, name)), text, mode)
  return join(dir, name)
}

/** config.yaml keeps its mode. */
async function modeOf(dir: string): Promise<number> {
  const { name, mode } = configFiles.config
  const read = await readText(await realPlace(join(dir, name)))
  return read.isThere ? read.mode : mode
}

/** Sets a value in a document; creates missing and empty maps on the way. */
function setValue(document: Document, path: readonly string[], value: unknown): void {
  for (let depth = 0; depth < path.length; depth++) {
    const above = path.slice(0, depth)
    const found: unknown = depth === 0 ? document.contents : document.getIn(above, true)
    if (isMap(found)) continue
    const isEmpty =
      depth === 0 ? plain(document) === null : (document.getIn(above) ?? null) === null
    if (!isEmpty)
      throw refused(
        `${above.join('.') || 'The whole'} of config.yaml is not a map that this command can change. Change config.yaml by hand.`,
      )
    if (depth === 0) document.contents = document.createNode({}) as Document['contents']
    else document.setIn(above, document.createNode({}))
  }
  document.setIn(path, value)
}

/** Sets a variable in the text of .env; its line stays where it is. Throws a refusal if that is impossible. */
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
    `Cannot set ${name} in ${configFiles.env.name} without changing other lines. Change that file by hand.`,
  )
}
