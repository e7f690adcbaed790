// The worker on workerd, which `npm run test:worker` installs and names in FLOWDOUBLE_WORKERD.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestRunner } from 'vitest'
import { folder } from '../../support/folder.ts'
import { startProcess } from '../../support/spawned.ts'

/** The program; empty where none is installed. */
const program = process.env['FLOWDOUBLE_WORKERD'] ?? ''

/** Skips a case where it is not installed. */
export function requireWorkerd(): void {
  if (program === '')
    TestRunner.getCurrentTest()?.context.skip('workerd is not installed: use npm run test:worker.')
}

const built = join(import.meta.dirname, '../../../dist/worker')

/** The control token. */
export const ADMIN = 'token-of-the-admin'

/** A request with a bearer token, whose answer is JSON. */
export async function ask(
  method: string,
  url: string,
  token: string,
  value: unknown = {},
): Promise<{ readonly status: number; readonly json: any }> {
  const reply = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(method !== 'GET' && { body: JSON.stringify(value) }),
  })
  return { status: reply.status, json: await reply.json() }
}

/** A world of the worker. */
export type WorkerWorld = { readonly url: string; readonly worldToken: string }

export type Worker = {
  readonly url: string
  /** Creates a world with these options. */
  readonly create: (name: string, options?: object) => Promise<WorkerWorld>
}

/** An object that a test throws away: with the header `evict`, as the runtime does when memory is short, or by sleep. */
const evictable = `
import { World as Whole } from './worker.js'
export { default } from './worker.js'

export class World {
  #context
  #environment
  #whole
  constructor(context, environment) {
    this.#context = context
    this.#environment = environment
    this.#whole = new Whole(context, environment)
  }
  async fetch(request) {
    const how = request.headers.get('evict')
    if (how === null) return this.#whole.fetch(request)
    if (how === 'abort') this.#context.abort('The test throws the object away.')
    await this.#whole.rest()
    this.#whole = new Whole(this.#context, this.#environment)
    return new Response()
  }
  webSocketMessage(...event) {
    return this.#whole.webSocketMessage(...event)
  }
  webSocketClose(...event) {
    return this.#whole.webSocketClose(...event)
  }
  webSocketError(...event) {
    return this.#whole.webSocketError(...event)
  }
}
`

/** How the object of a world goes. */
export type Eviction = 'abort' | 'sleep'

/** Throws the object of a world away. Resolves when it is gone. */
export async function evict({ url }: WorkerWorld, how: Eviction): Promise<void> {
  await (await fetch(`${url}/`, { headers: { evict: how } })).arrayBuffer()
}

/** The options of all worlds, the folder with their storage, and after how many inputs there is a snapshot. */
type Setting = {
  readonly options: object
  readonly worlds?: string
  readonly snapshotInputs?: number
}

/**
 * Starts the worker as it is configured for users, with objects that can be thrown away. Kills it without a warning when the
 * work is done.
 */
export async function onWorker<T>(
  { options, worlds = folder(), snapshotInputs = 500 }: Setting,
  work: (worker: Worker) => Promise<T>,
): Promise<T> {
  const place = folder()
  copyFileSync(join(built, 'worker.js'), join(place, 'worker.js'))
  writeFileSync(join(place, 'evictable.js'), evictable)
  const more = `(name = "SNAPSHOT_INPUTS", text = "${snapshotInputs}"),`
  const config = readFileSync(join(built, 'config.capnp'), 'utf8')
    .replace('modules = [', 'modules = [ (name = "main.js", esModule = embed "evictable.js"),')
    .replace('bindings = [', `bindings = [ ${more}`)
  writeFileSync(join(place, 'config.capnp'), config)
  const environment = [
    `FLOWDOUBLE_CONTROL_TOKEN=${ADMIN}`,
    `FLOWDOUBLE_OPTIONS=${JSON.stringify(options)}`,
  ]
  const serve = ['serve', join(place, 'config.capnp'), '-d', `worlds=${worlds}`]
  const listen = ['-s', 'http=127.0.0.1:0', '--control-fd=1']
  const command = startProcess('env', [...environment, program, ...serve, ...listen])
  try {
    const [, port] = /"port":(\d+)/.exec(await command.says(/"port":\d+/)) ?? []
    const url = `http://127.0.0.1:${port}`
    const create: Worker['create'] = async (name, given = {}) =>
      (await ask('PUT', `${url}/_flowdouble/worlds/${name}`, ADMIN, given)).json as WorkerWorld
    return await work({ url, create })
  } finally {
    command.process.kill('SIGKILL')
    await command.ends
  }
}
