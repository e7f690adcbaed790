// A small client of a local server, which the tests in the README test: submits a workflow, by default workflow.json,
// follows its run on the socket, and returns the names of its files. Needs `npm install ws`.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { WebSocket } from 'ws'

/** The server ran out of GPU memory. */
export class OutOfMemory extends Error {}

export async function generate(url: string, workflow?: object): Promise<string[]> {
  const client_id = crypto.randomUUID()
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws?clientId=${client_id}`)
  const messages: { type: string; data: Record<string, string> }[] = []
  socket.on('message', (bytes: Buffer, isBinary) => {
    if (!isBinary) messages.push(JSON.parse(bytes.toString())) // else a preview
  })
  await once(socket, 'open')
  const prompt = workflow ?? JSON.parse(readFileSync('workflow.json', 'utf8'))
  const body = JSON.stringify({ prompt, client_id })
  const submitted = await fetch(`${url}/prompt`, { method: 'POST', body })
  if (!submitted.ok) throw new Error(await submitted.text())
  const { prompt_id } = (await submitted.json()) as { prompt_id: string }
  const isLast = ({ type, data }: (typeof messages)[number]) =>
    data['prompt_id'] === prompt_id && /^execution_(success|error)$/.test(type)
  while (!messages.some(isLast)) await once(socket, 'message')
  socket.close()
  const { type, data } = messages.find(isLast)!
  if (type === 'execution_error') {
    if (data['exception_type']?.includes('OutOfMemoryError'))
      throw new OutOfMemory(data['node_type'])
    throw new Error(data['exception_message'])
  }
  const history = await (await fetch(`${url}/history/${prompt_id}`)).json()
  type Output = Record<string, { filename?: string }[]>
  const outputs = Object.values<Output>(history[prompt_id].outputs)
  const files = outputs.flatMap((output) => Object.values(output).flat())
  return files.flatMap(({ filename }) => filename ?? [])
}
