// Prints which files of the emulator a request passes until its response is there: those with a function that V8 saw called.

import { Session } from 'node:inspector/promises'
import { startEmulator } from '../../dist/emulator/index.js'

const graph = {
  1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
  2: { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
}
const body = JSON.stringify({ prompt: graph })

const server = await startEmulator({ clock: 'manual' })
const submit = async () => (await fetch(`${server.url}/prompt`, { method: 'POST', body })).json()
const { prompt_id } = await submit()
await server.until('idle')
const read = async () => (await fetch(`${server.url}/history/${prompt_id}`)).json()

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** Whether V8 counted a call of any function of a script, which is more than that the script was loaded. */
const isPassed = ({ functions }) =>
  functions.some(({ ranges: [{ startOffset, count }] }) => startOffset > 0 && count > 0)

async function filesPassed(send) {
  // The first time, a connection opens and more is loaded.
  await send()
  await session.post('Profiler.takePreciseCoverage')
  await send()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter((script) => script.url.includes('/dist/emulator/') && isPassed(script))
    .map(({ url }) => url.split('/dist/emulator/')[1])
    .sort()
}

console.log(
  JSON.stringify({
    'GET /history/ID': await filesPassed(read),
    'POST /prompt': await filesPassed(submit),
  }),
)
await server.close()
