// `serve --workers`: several processes that serve worlds, and one address that creates them.

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { serveCommand } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { outputOf } from '../../support/in-process.ts'
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

/** The first of the ports of two workers and their parent: hosted ones have two each. */
const firstPort = (): Promise<number> => freePort(5)

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
    const [state, port] = [newFiles().path('state'), await firstPort()]
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
    const put = async (name: string): Promise<Place> => {
      const made = await fetch(`${control}/worlds/${name}`, { method: 'PUT', headers })
      return (await made.json()) as Place
    }
    const list = async () => {
      const reply = await fetch(`${control}/worlds`, { headers })
      return { status: reply.status, body: (await reply.json()) as Place[] }
    }
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
    expect((await list()).body.map(({ name }) => name).toSorted()).toEqual(names)
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
    const alone = newFiles()
    mkdirSync(alone.path('local'))
    const ofTwo = 'is that of --workers 2: start as many, or name another folder'
    for (const [argv, says] of [
      [['--workers', '3', '--state', state], ofTwo],
      [['--state', state], ofTwo],
      [['--workers', '2', '--state', alone.dir], 'is that of one process: start without --workers'],
    ] as const) {
      const refused = await outputOf(serveCommand, ['--port', '0', ...argv])
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(says)])
    }
    // A parent that is killed takes them along: they have its standard error, whose end this waits for.
    second.process.kill('SIGKILL')
    await second.ends
  },
  ownWorld,
)

proves(
  [
    'shared/workers',
    'shared/workers-page',
    'shared/workers-health',
    'shared/workers-restart',
    'shared/workers-secrets',
    'shared/public-url',
  ],
  async ({ deployment }) => {
    const port = await firstPort()
    const place = ['--deployment', deployment, '--port', `${port}`]
    const links = deployment === 'local' ? [] : ['--signed-base-url', 'http://ci.example:9001']
    const first = await serving(...place, '--public-url', 'http://ci.example:9000/base', ...links)
    const ask = async (method: string, path: string, body?: unknown) => {
      const text = body === undefined ? null : JSON.stringify(body)
      const init = { method, headers, body: text, redirect: 'manual' } as const
      const reply = await fetch(first.url + path, init)
      const json = /json/.test(reply.headers.get('Content-Type') ?? '')
      const answer: any = json ? await reply.json() : await reply.text()
      return [reply.status, answer, reply] as const
    }
    const worlds = '/_flowdouble/worlds'
    // The ports of public addresses are as far apart as those of the workers.
    const made = new Map<string, Place>()
    for (const name of ['job-1', 'job-2', 'job-3', 'job-4'])
      made.set(name, (await ask('PUT', `${worlds}/${name}`))[1])
    const bases = [...made.values()].map(({ name, url }) => url.replace(name, ''))
    const second = deployment === 'local' ? 9002 : 9003
    expect(new Set(bases)).toEqual(
      new Set([9001, second].map((at) => `http://ci.example:${at}/base/w/`)),
    )
    // The name can be in the body, and without one the world gets one.
    const named = await ask('POST', worlds, { name: 'five', seed: 7 })
    expect(named.slice(0, 2)).toEqual([
      200,
      {
        name: 'five',
        url: (await ask('PUT', `${worlds}/five`))[1].url,
        worldToken: expect.any(String),
      },
    ])
    expect((await ask('POST', worlds, { name: 'five' }))[0]).toBe(409)
    const [status, chosen] = await ask('POST', worlds)
    expect([status, chosen.url]).toEqual([200, expect.stringMatching(`/w/${chosen.name}$`)])
    for (const wrong of [{ name: 3 }, { name: 'a/b' }, { pace: -1 }, []])
      expect((await ask('POST', worlds, wrong))[0]).toBe(400)
    for (const closed of [true, false])
      expect((await ask('DELETE', `${worlds}/five`))[1]).toEqual({ closed })
    expect((await ask('POST', '/_flowdouble/fork'))[1].error).toContain('at its own address')

    const [, page, { headers: policy }] = await ask('GET', '/_flowdouble/')
    expect([page, policy.get('Content-Security-Policy')]).toEqual([
      expect.stringContaining('<title>'),
      expect.stringContaining("default-src 'none'"),
    ])
    const inspector = await ask('GET', '/w/job-1/_flowdouble/')
    expect([inspector[0], inspector[2].headers.get('Location')]).toEqual([
      302,
      `${made.get('job-1')!.url}/_flowdouble/`,
    ])
    // Everybody can read command lines.
    for (const { pid } of existsSync('/proc/self/cmdline') ? first.workers : [])
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(ADMIN)

    // Both serve worlds: what is asked of the one that is away has to wait.
    const health = (...statuses: readonly string[]) => [
      200,
      {
        status: 'ok',
        workers: [9001, second].map((at, n) => ({
          status: statuses[n],
          url: `http://ci.example:${at}/base`,
        })),
      },
    ]
    expect((await ask('GET', '/_flowdouble/health')).slice(0, 2)).toEqual(health('ok', 'ok'))
    process.kill(first.workers[0]!.pid, 'SIGKILL')
    await first.logs(/worker 1 has ended with SIGKILL/)
    const lost = [...made.values()].find(({ url }) => url.includes(':9001/'))!
    const asked = [ask('PUT', `${worlds}/${lost.name}`), ask('GET', worlds)]
    const [ready, after] = [ask('GET', '/_flowdouble/ready'), ask('GET', '/_flowdouble/health')]
    for (const [refused, { error }] of await Promise.all(asked))
      expect([refused, error]).toEqual([503, 'Worker 1 is starting again. Try again soon.'])
    expect((await ready)[0]).toBe(503)
    expect((await after).slice(0, 2)).toEqual(health('down', 'ok'))
    await first.logs(/worker 1 listens again/)
    expect((await ask('GET', '/_flowdouble/ready'))[0]).toBe(200)
    expect((await ask('PUT', `${worlds}/${lost.name}`)).slice(0, 2)).toEqual([
      201,
      { ...lost, worldToken: expect.any(String) },
    ])
    await first.stop()
  },
  ownWorld,
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
    ['2 --port 65534', /choose a --port up to 6553[13]/],
  ]
  const ofHosted = ['2 --port 0', /2 ports in a row/] as const
  for (const [flags, says] of deployment === 'hosted' ? [...rows, ofHosted] : rows) {
    const argv = `--deployment ${deployment} --workers ${flags}`.split(' ')
    const { code, stderr } = await outputOf(serveCommand, argv)
    expect([flags, code, stderr]).toEqual([flags, 2, expect.stringMatching(says)])
  }
})
