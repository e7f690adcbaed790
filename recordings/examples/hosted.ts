// Runs workflow.json on a hosted server and saves its pictures here. Needs `npm install ws`; Node 22.18 or newer
// runs it as it is. BASE is the address of the server, API_KEY the key.

import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

const base = process.env.BASE ?? 'http://127.0.0.1:8189'
const key = process.env.API_KEY ?? 'test-key'
const ask = async (path: string, more: RequestInit = {}) => {
  const headers = { 'X-API-Key': key }
  const response = await fetch(`${base}/api${path}`, { ...more, headers, redirect: 'manual' })
  if (response.status < 400) return response
  throw new Error(`${path} ${response.status} ${await response.text()}`)
}

let prompt_id = ''
const socket = new WebSocket(`${base.replace(/^http/, 'ws')}/ws?token=${key}`)
socket.on('message', (bytes: Buffer, isBinary) => {
  if (isBinary) return // a preview
  const { type, data } = JSON.parse(bytes.toString())
  if (data.prompt_id === prompt_id) console.log(type, data.node ?? '')
})
await once(socket, 'open')

const prompt = JSON.parse(readFileSync('workflow.json', 'utf8'))
const submit = await ask('/prompt', { method: 'POST', body: JSON.stringify({ prompt }) })
prompt_id = (await submit.json()).prompt_id

let status = 'pending'
while (status === 'pending' || status === 'in_progress') {
  await sleep(500)
  status = (await (await ask(`/job/${prompt_id}/status`)).json()).status
}
const job = await (await ask(`/jobs/${prompt_id}`)).json()
if (status !== 'completed') throw new Error(`${status} ${JSON.stringify(job.execution_error)}`)
type File = { filename?: string; subfolder: string; type: string }
for (const output of Object.values<Record<string, File[]>>(job.outputs)) {
  for (const { filename, subfolder, type } of Object.values(output).flat()) {
    if (filename === undefined) continue // a text
    const view = await ask(`/view?${new URLSearchParams({ filename, subfolder, type })}`)
    const file = await fetch(view.headers.get('location')!) // another host: without the key
    writeFileSync(basename(filename), Buffer.from(await file.arrayBuffer()))
  }
}
socket.close()
