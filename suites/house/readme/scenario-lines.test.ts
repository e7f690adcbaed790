// Each line of a scenario that a README shows does what it says.

import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Emulator, startEmulator } from 'flowdouble'
import { textToImage } from '../../generate/graphs.ts'
import { folder } from '../../support/folder.ts'
import { readmes, root } from './pages.ts'

const picture = readFileSync(join(root, 'recordings', 'run.png'))

/** The rows of the table: what the world has, and the line of its scenario. */
const table = readmes.flatMap(({ text }) => {
  const [rows = ''] = /^\| The world has [^]*?\n\n/m.exec(text) ?? []
  return [...rows.matchAll(/^\| (.*?) +\| `(.*)` +\|$/gm)].map(([, words = '', line = '']) => ({
    words,
    line,
  }))
})

/** A server with the scenario of a row. */
async function serverOn(line: string): Promise<Emulator> {
  const place = folder()
  writeFileSync(join(place, 'cat.png'), picture)
  const scenario = join(place, 'scenario.yaml')
  writeFileSync(scenario, `version: 1\n${line}\n`)
  const deployment = line.startsWith('models:') ? 'hosted' : 'local'
  const options = { clock: 'instant', unknownNodes: 'accept', deployment } as const
  const server = await startEmulator({ ...options, scenario })
  onTestFinished(() => server.close())
  return server
}

/** Runs a workflow to its end, and returns its entry in the history. */
async function run({ url }: Emulator, prompt: object = textToImage(1, 5)): Promise<any> {
  const body = JSON.stringify({ prompt, client_id: 'me' })
  const submitted = await fetch(`${url}/prompt`, { method: 'POST', body })
  const { prompt_id } = (await submitted.json()) as { prompt_id: string }
  const history = (await (await fetch(`${url}/history/${prompt_id}`)).json()) as any
  return history[prompt_id]
}

type Session = {
  readonly steps: readonly number[]
  readonly closed: Promise<unknown>
  readonly socket: WebSocket
}

/** A socket of the client `me`: the progress values that it receives, and the code with which it closes. */
async function connect({ url }: Emulator): Promise<Session> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=me`)
  const steps: number[] = []
  socket.on('message', (text: Buffer, isBinary) => {
    const { type, data } = isBinary ? { type: 'preview' } : JSON.parse(text.toString())
    if (type === 'progress') steps.push(data.value)
  })
  // A connection that is reset is an error too.
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  await new Promise((resolve) => socket.on('open', resolve))
  return { steps, closed, socket }
}

/** What a client sees of each row. */
const shows: Readonly<Record<string, (server: Emulator) => Promise<void>>> = {
  'a run that fails at step 3': async (server) => {
    const { steps, socket, closed } = await connect(server)
    const { status } = await run(server)
    expect(status.messages.at(-1)).toMatchObject([
      'execution_error',
      { node_type: 'KSampler', exception_type: 'torch.OutOfMemoryError' },
    ])
    socket.close()
    await closed
    expect(steps).toEqual([1, 2, 3])
  },
  'your own picture for a node': async (server) => {
    const { outputs } = await run(server)
    const [{ images }] = Object.values<any>(outputs)
    const view = await fetch(`${server.url}/view?${new URLSearchParams(images[0]).toString()}`)
    expect(Buffer.from(await view.arrayBuffer())).toEqual(picture)
  },
  'a custom node': async (server) => {
    const types = (await (await fetch(`${server.url}/object_info/Shout`)).json()) as any
    expect(types.Shout.output).toEqual(['STRING'])
    const { status } = await run(server, { 1: { class_type: 'Shout', inputs: { text: 'hello' } } })
    expect(status.status_str).toBe('success')
  },
  'outputs of a custom node': async (server) => {
    const { outputs } = await run(server, { 1: { class_type: 'VHS_VideoCombine', inputs: {} } })
    expect(outputs[1].gifs).toMatchObject([{ frame_rate: 8 }])
  },
  'a node that works like another': async (server) => {
    const inputs = { width: 8, height: 8, batch_size: 1, color: 5 }
    const shown = { class_type: 'PreviewImage', inputs: { images: ['1', 0] } }
    const { outputs } = await run(server, { 1: { class_type: 'EmptyImage', inputs }, 2: shown })
    expect(outputs[2].images).toMatchObject([{ filename: 'ComfyUI_00001_.png', type: 'output' }])
  },
  'a route of an extension': async ({ url }) => {
    expect(await (await fetch(`${url}/crystools/monitor/HDD`)).json()).toEqual(['/'])
    expect((await fetch(`${url}/api/crystools/monitor/HDD`)).status).toBe(200)
  },
  'a message of an extension': async (server) => {
    // An instant clock passes time in runs alone.
    const { messages } = server.options.scenario
    await server.load({ version: 1, messages, runs: [{ durationMs: 3000 }] })
    const { socket, closed } = await connect(server)
    await run(server)
    socket.close()
    await closed
    const sent = await server.messages({ type: 'crystools.monitor' })
    const data = { cpu_utilization: 7 }
    expect(sent).toMatchObject([{ data }, { data }, { data }])
    expect(sent).toHaveLength(3)
  },
  'a node that waits for a choice': async (server) => {
    expect(await run(server)).toBeUndefined()
    await fetch(`${server.url}/image_chooser_message`, { method: 'POST', body: '{}' })
    expect(server.runs().map(({ state }) => state)).toEqual(['success'])
  },
  'a socket that drops in mid-run': async (server) => {
    const { steps, closed } = await connect(server)
    const { status } = await run(server)
    expect(await closed).toBe(1006)
    expect(steps).toEqual([1, 2, 3, 4])
    expect(status.status_str).toBe('success')
  },
  'a socket or stream gone silent': async (server) => {
    const { steps, socket, closed } = await connect(server)
    const { status } = await run(server)
    expect(status.status_str).toBe('success')
    expect(steps).toEqual([1, 2, 3, 4])
    expect(socket.readyState).toBe(socket.OPEN)
    socket.terminate()
    await closed
  },
  'a message that is not JSON': async (server) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?clientId=me`)
    const texts: string[] = []
    socket.on('message', (text: Buffer, isBinary) => isBinary || texts.push(text.toString()))
    await once(socket, 'open')
    await run(server)
    const closed = once(socket, 'close')
    await server.dropSockets({ close: 1000 })
    await closed
    const broken = texts.filter((text) => !text.endsWith('}'))
    expect(broken).toEqual([expect.stringMatching(/^\{"type": "progress", "data": \{"value": 5,/)])
  },
  'a server that is gone for 10 s': async (server) => {
    const { steps, closed } = await connect(server)
    expect(await run(server)).toBeUndefined()
    expect(await closed).toBe(1006)
    expect(steps).toEqual([1, 2, 3, 4])
  },
  'a server that crashes': async (server) => {
    await run(server)
    await expect(run(server)).rejects.toThrow('fetch failed')
    expect(await server.exited()).toBe(137)
  },
  'a history that lags': async (server) => {
    expect(await run(server)).toBeUndefined()
    const [{ prompt_id } = { prompt_id: '' }] = server.runs()
    const ask = async () =>
      (await (await fetch(`${server.url}/history/${prompt_id}`)).json()) as object
    const seen = [await ask(), await ask(), await ask()].map((one) => Object.keys(one))
    expect(seen).toEqual([[], [], [prompt_id]])
  },
  'a redirect': async ({ url }) => {
    const view = await fetch(`${url}/view?filename=a.png`, { redirect: 'manual' })
    expect(view.status).toBe(302)
    expect(view.headers.get('location')).toBe('/view?filename=a.png')
  },
  'an answer that takes its time': async (server) => {
    const { headers } = await fetch(`${server.url}/history/none`)
    expect(headers.get('date')).toBe('Thu, 01 Jan 2026 00:00:02 GMT')
  },
  '503 or 429 with Retry-After': async ({ url }) => {
    const submit = () =>
      fetch(`${url}/prompt`, { method: 'POST', body: JSON.stringify({ prompt: textToImage(1) }) })
    const { status, headers } = await submit()
    expect({ status, after: headers.get('retry-after') }).toEqual({ status: 429, after: '2' })
    expect((await submit()).status).toBe(200)
  },
  'a body that is cut off': async ({ url }) => {
    const view = await fetch(`${url}/view?filename=example.png&type=input`)
    expect(view.status).toBe(200)
    await expect(view.arrayBuffer()).rejects.toThrow('terminated')
  },
  'model files and an input file': async ({ url }) => {
    expect(await (await fetch(`${url}/models/loras`)).json()).toContain('a.safetensors')
    expect((await fetch(`${url}/view?filename=a.png&type=input`)).status).toBe(200)
  },
  'a call of a model that fails': async ({ url }) => {
    const run = () =>
      fetch(`${url}/v2/models/bfl/flux-2-pro`, {
        method: 'POST',
        headers: { 'X-API-Key': 'test-key' },
        body: '{"prompt": "a cat"}',
      })
    const { status, headers } = await run()
    expect({ status, after: headers.get('retry-after') }).toEqual({ status: 429, after: '2' })
    expect((await run()).status).toBe(200)
  },
  'runs of others in the queue': async ({ url }) => {
    const queue = (await (await fetch(`${url}/queue`)).json()) as any
    expect(queue).toMatchObject({ queue_running: { length: 1 }, queue_pending: { length: 2 } })
  },
  'a history': async ({ url }) => {
    const history = (await (await fetch(`${url}/history`)).json()) as any
    const states = Object.values<any>(history).map(({ status }) => status.status_str)
    expect(states.filter((state) => state === 'success')).toHaveLength(20)
    expect(states.filter((state) => state === 'error')).toHaveLength(1)
  },
}

test.each(table)('$words', async ({ words, line }) => {
  await shows[words]?.(await serverOn(line))
})

test('each row is looked at', () => {
  expect(table.map(({ words }) => words)).toEqual(Object.keys(shows))
})
