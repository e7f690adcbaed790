// Prints which files of the emulator a request passes until its response is there, and a run until its end: those with a
// function that V8 saw called. It also prints where such a function builds an object that begins with a spread of another.

import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { WebSocket } from 'ws'
import { startEmulator, startGateway } from '../../dist/emulator/index.js'

const graph = {
  1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
  2: { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
}
const prompt = JSON.stringify({ prompt: graph })

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** Whether V8 counted a call of any function of a script, which is more than that the script was loaded. */
const isPassed = ({ functions }) =>
  functions.some(({ ranges: [{ startOffset, count }] }) => startOffset > 0 && count > 0)

/** The functions that were called of each file, by their ranges in it. */
const called = new Map()

async function filesPassed(send) {
  // The first time, a connection opens and more is loaded.
  await send()
  await session.post('Profiler.takePreciseCoverage')
  await send()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const scripts = result.filter(
    (script) => script.url.includes('/dist/emulator/') && isPassed(script),
  )
  for (const { url, functions } of scripts)
    called.set(url, [...(called.get(url) ?? []), ...functions.map(({ ranges }) => ranges[0])])
  return scripts.map(({ url }) => url.split('/dist/emulator/')[1]).sort()
}

/** V8 of Node 20 takes microseconds for such an object. */
const leadingSpread = /\{\s*\.\.\./g

/** Where functions that were called have them: the innermost function around one says whether it was. */
function leadingSpreads() {
  const places = []
  for (const [url, ranges] of called) {
    const text = readFileSync(new URL(url), 'utf8')
    for (const { index } of text.matchAll(leadingSpread)) {
      const around = ranges.filter((one) => one.startOffset <= index && index < one.endOffset)
      const least = Math.min(...around.map((one) => one.endOffset - one.startOffset))
      const own = around.filter((one) => one.endOffset - one.startOffset === least)
      if (!own.some(({ startOffset, count }) => startOffset > 0 && count > 0)) continue
      const line = text.slice(0, index).split('\n').length
      places.push(`${url.split('/dist/')[1]}:${line} ${text.split('\n')[line - 1].trim()}`)
    }
  }
  return places
}

const passed = {}

const local = await startEmulator({ clock: 'manual' })
const submit = async () => {
  const reply = await fetch(`${local.url}/prompt`, { method: 'POST', body: prompt })
  return (await reply.json()).prompt_id
}
const finished = await submit()
await local.until('idle')
const get = (path) => async () => (await fetch(local.url + path)).text()
passed['GET /history/ID'] = await filesPassed(get(`/history/${finished}`))
passed['POST /prompt'] = await filesPassed(submit)
await local.until('idle')
passed['GET /queue'] = await filesPassed(get('/queue'))
const [{ filename }] = Object.values(
  JSON.parse(await get(`/history/${finished}`)())[finished].outputs,
)[0].images
passed['GET /view'] = await filesPassed(get(`/view?filename=${filename}&type=temp`))
const socket = new WebSocket(local.url.replace('http', 'ws') + '/ws')
await new Promise((resolve) => socket.addEventListener('message', resolve))
passed['a run with a socket'] = await filesPassed(async () => {
  await submit()
  await local.until('idle')
})
socket.close()
await local.close()

const hosted = await startEmulator({ clock: 'manual', deployment: 'hosted' })
const headers = { 'X-API-Key': hosted.options.accounts[0].keys[0] }
passed['a hosted run'] = await filesPassed(async () => {
  const init = { method: 'POST', body: prompt, headers }
  const { prompt_id } = await (await fetch(`${hosted.url}/api/prompt`, init)).json()
  await hosted.until('idle')
  await (await fetch(`${hosted.url}/api/job/${prompt_id}/status`, { headers })).text()
})
await hosted.close()

const secret = 'of-the-sender'
const routes = { ci: { secret, prompt: 'Build {status}', deliver: 'telegram' } }
const gateway = await startGateway({ port: 0, clock: 'manual', routes })
passed['a post to a gateway'] = await filesPassed(async () => {
  const body = JSON.stringify({ status: 'green', at: Math.random() })
  const init = { method: 'POST', body, headers: { 'X-Gitlab-Token': secret } }
  await (await fetch(`${gateway.url}/webhooks/ci`, init)).text()
  await gateway.until('idle')
})
await gateway.close()

console.log(JSON.stringify({ passed, leadingSpreads: leadingSpreads() }))
