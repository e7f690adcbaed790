// A server that is killed in mid-run and started again, as its operator and a job see it: the job uses its world as before,
// and its run goes on.

import { existsSync, mkdirSync, readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { slow, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { newFiles } from '../../support/files.ts'
import { freePort } from '../../support/free-port.ts'
import { type Command, start } from '../../support/spawned.ts'

/** The client of the README, which has a project for its types. */
const client = join(import.meta.dirname, '../../../recordings/examples/client.ts')
type Client = { readonly generate: (url: string, workflow: object) => Promise<string[]> }

const ADMIN = 'token-of-the-admin'

/** Resolves when the saved world contains this text. */
function saved(folder: string, text: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const isThere = (): boolean =>
    readdirSync(folder).some(
      (file) => file.endsWith('.world') && readFileSync(join(folder, file)).includes(text),
    )
  return new Promise((resolve) => {
    const look = (): void => {
      if (!existsSync(folder) || !isThere()) return
      watcher.close()
      resolve()
    }
    const watcher = watch(folder, look)
    look()
  })
}

test('shared/saved A job uses its world before and after a restart in mid-run, at the same address', async () => {
  const { generate } = (await import(client)) as Client
  const [files, port] = [newFiles(), await freePort()]
  const state = files.path('state')
  let running: Command | undefined
  onTestFinished(() => void running?.process.kill('SIGKILL'))
  const serve = async (): Promise<Command> => {
    const flags = `--shared --control-token ${ADMIN} --port ${port} --state-every 0.1 --pace 5`
    running = start('serve', ...flags.split(' '), '--state', state)
    await running.says(/Ctrl\+C/)
    return running
  }
  const first = await serve()
  const made = await fetch(`http://127.0.0.1:${port}/_flowdouble/worlds/job-17`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${ADMIN}` },
  })
  const { url } = (await made.json()) as { readonly url: string }
  expect(await generate(url, textToImage())).toEqual([expect.stringMatching(/\.png$/)])

  // Its run is saved, and the process killed.
  const submitted = await fetch(`${url}/prompt`, {
    method: 'POST',
    body: JSON.stringify({ prompt: slow(3, 60), client_id: 'me' }),
  })
  const { prompt_id } = (await submitted.json()) as { readonly prompt_id: string }
  await saved(join(state, 'local'), prompt_id)
  first.process.kill('SIGKILL')
  await first.ends

  const second = await serve()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=me`)
  onTestFinished(() => socket.terminate())
  await new Promise<void>((resolve) => {
    socket.on('message', (bytes: Buffer, isBinary) => {
      if (isBinary) return
      const { type, data } = JSON.parse(bytes.toString())
      if (type === 'execution_success' && data.prompt_id === prompt_id) resolve()
    })
  })
  expect(await generate(url, textToImage(2))).toEqual([expect.stringMatching(/\.png$/)])
  const history = await (await fetch(`${url}/history`)).json()
  expect(Object.keys(history as object)).toHaveLength(3)
  // It ends well, and says nothing that it should not.
  const { stderr } = await second.stop()
  expect(stderr).not.toContain(ADMIN)
})
