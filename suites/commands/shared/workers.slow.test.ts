// `serve --workers`: several processes that serve worlds, and one address that creates them.

import { onTestFinished } from 'vitest'
import { serveCommand } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { outputOf } from '../../support/in-process.ts'
import { exchange } from '../../judge/wire.ts'
import { newFiles } from '../../support/files.ts'
import { freePort } from '../../support/free-port.ts'
import { type Command, start } from '../../support/spawned.ts'

const ADMIN = 'token-of-the-admin'
const headers = { Authorization: `Bearer ${ADMIN}` }

type Place = { readonly name: string; readonly url: string; readonly worldToken?: string }
type Addresses = {
  readonly url: string
  readonly workers: readonly { readonly url: string; readonly pid: number }[]
}

/** Starts the command with two workers until all listen. */
async function serving(...flags: readonly string[]): Promise<Command & Addresses> {
  const usual = `--workers 2 --shared --control-token ${ADMIN} --json`.split(' ')
  const command = start('serve', ...usual, ...flags)
  onTestFinished(() => void command.process.kill('SIGKILL'))
  const line = await command.says(/\n/)
  return { ...command, ...(JSON.parse(line) as Addresses) }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Resolves with what a request answers when it is as wanted; asks again as long as the answer is another one. */
async function until<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
  }
}

proves(
  [
    'shared/workers',
    'shared/workers-place',
    'shared/workers-elsewhere',
    'shared/workers-metrics',
    'shared/workers-restart',
    'shared/workers-state',
    'shared/workers-end',
  ],
  async ({ deployment }) => {
    const [state, port] = [newFiles().path('state'), await freePort()]
    const flags = ['--deployment', deployment, '--port', `${port}`, '--state', state]
    // The signed links of a hosted server have the port after it.
    const [portOfOne, portOfTwo] =
      deployment === 'local' ? [port + 1, port + 2] : [port + 1, port + 3]
    const first = await serving(...flags)
    const [one, two] = first.workers
    expect(first.url).toBe(`http://127.0.0.1:${port}`)
    expect([one!.url, two!.url]).toEqual(
      [portOfOne, portOfTwo].map((at) => `http://127.0.0.1:${at}`),
    )
    const control = `${first.url}/_flowdouble`
    // Each request has its connection: one that was kept would end with the first command.
    const ask = async (method: string, path: string): Promise<{ status: number; body: any }> => {
      const { status, body } = await exchange(first.url, method, `/_flowdouble/${path}`, headers)
      return { status, body: JSON.parse(body) }
    }
    const put = async (name: string): Promise<Place> => (await ask('PUT', `worlds/${name}`)).body
    const list = async (): Promise<{ status: number; body: Place[] }> => ask('GET', 'worlds')
    // Its name chooses the worker of a world: enough of them to meet both.
    const names = Array.from({ length: 8 }, (_, at) => `job-${at}`)
    const made: Place[] = []
    for (const name of names) made.push(await put(name))
    const ports = made.map(({ url }) => Number(new URL(url).port))
    expect(new Set(ports)).toEqual(new Set([portOfOne, portOfTwo]))
    expect((await put('job-0')).url).toBe(made[0]!.url)
    expect((await list()).body.map(({ name }) => name).toSorted()).toEqual(names)
    // A client uses the address of its world; that of the admin says where it is.
    const path = deployment === 'local' ? '/queue' : '/api/queue'
    const asked = await fetch(made[0]!.url + path, { headers: { 'X-API-Key': 'test-key' } })
    expect(asked.status).toBe(200)
    const elsewhere = await fetch(`${first.url}/w/job-0${path}`)
    expect([elsewhere.status, await elsewhere.json()]).toEqual([
      404,
      { error: expect.stringContaining(made[0]!.url), url: made[0]!.url },
    ])
    const nothing = await fetch(`${first.url}/queue`)
    expect([nothing.status, await nothing.json()]).toEqual([
      404,
      { error: expect.stringContaining('PUT /_flowdouble/worlds/NAME') },
    ])
    expect((await fetch(`${control}/worlds`)).status).toBe(403)
    const metrics = await (await fetch(`${control}/metrics`)).text()
    const counts = [portOfOne, portOfTwo].map((at) => ports.filter((one) => one === at).length)
    expect(metrics).toContain(
      `# TYPE flowdouble_worlds gauge\nflowdouble_worlds{worker="1"} ${counts[0]}\nflowdouble_worlds{worker="2"} ${counts[1]}\n`,
    )
    expect((await fetch(`${control}/ready`)).status).toBe(200)

    // A worker that is killed is started again, with its worlds and their tokens.
    const ofOne = made.find(({ url }) => url.startsWith(one!.url))!
    process.kill(one!.pid, 'SIGKILL')
    await first.logs(/worker 1 has ended with SIGKILL: it starts again/)
    await first.logs(/worker 1 listens again/)
    const again = await until(list, ({ status }) => status === 200)
    expect(again.body.map(({ name }) => name).toSorted()).toEqual(names)
    const own = { Authorization: `Bearer ${ofOne.worldToken}` }
    expect((await fetch(`${ofOne.url}/_flowdouble/runs`, { headers: own })).status).toBe(200)
    const closed = await fetch(`${control}/worlds/${ofOne.name}`, { method: 'DELETE', headers })
    expect(await closed.json()).toEqual({ closed: true })

    // Stopped in order, all of them end; started again, all worlds are there, on their workers.
    const { stderr } = await first.stop()
    expect(stderr).not.toContain(ADMIN)
    const second = await serving(...flags)
    const left = (await list()).body
    expect(left.map(({ name, url }) => `${name} ${url}`).toSorted()).toEqual(
      made.flatMap(({ name, url }) => (name === ofOne.name ? [] : `${name} ${url}`)),
    )
    const other = start('serve', '--workers', '3', '--port', '0', '--state', state)
    const refused = await other.ends
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('is that of --workers 2: start as many, or name another folder'),
    ])
    // A parent that is killed takes them along.
    second.process.kill('SIGKILL')
    await second.ends
    await until(
      async () => second.workers.some(({ pid }) => isAlive(pid)),
      (some) => !some,
    )
  },
)

proves('shared/workers-fit', async ({ deployment }) => {
  const rows: readonly (readonly [flags: string, says: RegExp])[] = [
    ['0', /--workers must be a number from 1 to 256/],
    ['2 --deployment both', /servers of one kind.*start the other one separately/],
    ['2 --with-gateway', /--workers does not go with --with-gateway\. Start it separately/],
    ['2 --journal j.jsonl', /--journal\. Read that of a world at/],
    ['2 --unknown-worlds create', /Create it with PUT/],
    ['2 --tls auto', /Let a proxy end TLS/],
    ['2 --host 0.0.0.0', /add --control-token/],
  ]
  const ofHosted = ['2 --port 0', /2 ports in a row/] as const
  for (const [flags, says] of deployment === 'hosted' ? [...rows, ofHosted] : rows) {
    const argv = `--deployment ${deployment} --workers ${flags}`.split(' ')
    const { code, stderr } = await outputOf(serveCommand, argv)
    expect([flags, code, stderr]).toEqual([flags, 2, expect.stringMatching(says)])
  }
})
