// Several servers behind nginx with the configuration of the package, whose ports are others here: a world is reached by its
// path, also while another server starts again, and its run goes on when its own does. Without nginx, nothing is tested.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { slow, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { newFiles } from '../../support/files.ts'
import { freePort } from '../../support/free-port.ts'
import { type Command, start, startProcess } from '../../support/spawned.ts'

const examples = join(import.meta.dirname, '../../../recordings/examples')
/** The client of the README, which has a project for its types. */
const client = join(examples, 'client.ts')
type Client = { readonly generate: (url: string, workflow: object) => Promise<string[]> }

const ADMIN = 'token-of-the-admin'
const headers = { Authorization: `Bearer ${ADMIN}` }
const names = Array.from({ length: 9 }, (_, at) => `job-${at}`)

const hasNginx = spawnSync('nginx', ['-v']).error === undefined

/** Resolves when the address answers. */
async function answers(url: string): Promise<void> {
  for (;;) {
    const status = await fetch(url).then(
      (reply) => reply.status,
      () => 0,
    )
    if (status === 200) return
  }
}

test.skipIf(!hasNginx)(
  'nginx routes each world to its server by its path, before and after a restart in mid-run',
  async () => {
    const { generate } = (await import(client)) as Client
    const files = newFiles()
    const ports = [await freePort(), await freePort(), await freePort()]
    const proxyPort = await freePort()
    const proxy = `http://127.0.0.1:${proxyPort}`
    const running: Command[] = []
    onTestFinished(async () => {
      // The workers of nginx would outlive it if it were killed.
      for (const { process } of running) process.kill('SIGTERM')
      await Promise.all(running.map(({ ends }) => ends))
    })
    const serve = async (at: number): Promise<Command> => {
      const flags = `--shared --control-token ${ADMIN} --public-url ${proxy} --port ${ports[at]}`
      const command = start('serve', ...flags.split(' '), '--state', files.path(`state-${at}`))
      running.push(command)
      await command.says(/Ctrl\+C/)
      return command
    }
    const servers = await Promise.all(ports.map((_, at) => serve(at)))

    const shipped = readFileSync(join(examples, 'many-teams/nginx.conf'), 'utf8')
    let conf = shipped.replace('listen 127.0.0.1:8188', `listen 127.0.0.1:${proxyPort}`)
    for (const [at, port] of ports.entries())
      conf = conf.replace(`127.0.0.1:${8191 + at} max_fails`, `127.0.0.1:${port} max_fails`)
    conf = conf.replace('http {', 'http {\n  access_log off;')
    files.write('nginx.conf', conf)
    const globals = `daemon off; pid ${files.path('nginx.pid')}; error_log stderr;`
    running.push(
      startProcess('nginx', ['-p', files.dir, '-c', files.path('nginx.conf'), '-g', globals]),
    )
    await answers(`${proxy}/_flowdouble/health`)

    // Created by its path, a world is where its requests go.
    const made: { readonly url: string; readonly worldToken: string }[] = []
    for (const name of names) {
      const reply = await fetch(`${proxy}/_flowdouble/worlds/${name}`, { method: 'PUT', headers })
      expect(reply.status).toBe(201)
      made.push((await reply.json()) as (typeof made)[number])
    }
    expect(made.map(({ url }) => url)).toEqual(names.map((name) => `${proxy}/w/${name}`))
    for (const { url, worldToken } of made) {
      expect(await generate(url, textToImage())).toHaveLength(1)
      const own = { Authorization: `Bearer ${worldToken}` }
      const runs = await fetch(`${url}/_flowdouble/runs`, { headers: own })
      expect(await runs.json()).toHaveLength(1)
    }
    const listed = await Promise.all(
      ports.map(async (port) => {
        const reply = await fetch(`http://127.0.0.1:${port}/_flowdouble/worlds`, { headers })
        return ((await reply.json()) as { readonly name: string }[]).map(({ name }) => name)
      }),
    )
    expect(listed.flat().toSorted()).toEqual(names)
    const posted = await fetch(`${proxy}/_flowdouble/worlds`, { method: 'POST', headers })
    expect([posted.status, ((await posted.json()) as { error: string }).error]).toEqual([
      405,
      expect.stringContaining('PUT /_flowdouble/worlds/NAME'),
    ])

    // Each takes two connections of nginx, which has 512 by default.
    const sockets = await Promise.all(
      Array.from({ length: 300 }, (_, at) => {
        const own = made[at % made.length]!.url.replace('http', 'ws')
        const socket = new WebSocket(`${own}/ws?clientId=client-${at}`)
        return new Promise<WebSocket>((resolve, reject) => {
          socket.once('message', () => resolve(socket)).once('error', reject)
        })
      }),
    )
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve())
            socket.close()
          }),
      ),
    )

    // One of them stops in mid-run, and is started again.
    const at = listed.findIndex((some) => some.length > 0)
    const own = `${proxy}/w/${listed[at]![0]}`
    const other = listed.find((some, place) => place !== at && some.length > 0)!
    const body = JSON.stringify({ prompt: slow(3, 30), client_id: 'me' })
    const submitted = await fetch(`${own}/prompt`, { method: 'POST', body })
    const { prompt_id } = (await submitted.json()) as { readonly prompt_id: string }
    await servers[at]!.stop()
    expect((await fetch(`${own}/queue`)).status).toBe(502)
    expect((await fetch(`${proxy}/w/${other[0]}/queue`)).status).toBe(200)
    await serve(at)
    const socket = new WebSocket(`${own.replace('http', 'ws')}/ws?clientId=me`)
    onTestFinished(
      () =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve())
          socket.terminate()
        }),
    )
    await new Promise<void>((resolve) => {
      socket.on('message', (bytes: Buffer, isBinary) => {
        if (isBinary) return
        const { type, data } = JSON.parse(bytes.toString())
        if (type === 'execution_success' && data.prompt_id === prompt_id) resolve()
      })
    })
    expect(await generate(own, textToImage(2))).toHaveLength(1)
  },
)
