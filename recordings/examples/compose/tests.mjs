// The tests of compose.yaml: what the product at PRODUCT_URL makes of the server at COMFYUI_URL, which they script with
// CONTROL_TOKEN.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

const { PRODUCT_URL, COMFYUI_URL, CONTROL_TOKEN } = process.env

async function control(path, body) {
  const headers = { Authorization: `Bearer ${CONTROL_TOKEN}` }
  const method = body === undefined ? 'GET' : 'POST'
  const reply = await fetch(`${COMFYUI_URL}/_flowdouble/${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  })
  if (!reply.ok) throw new Error(await reply.text())
  return reply.json()
}

const askForPicture = () => fetch(`${PRODUCT_URL}/pictures`, { method: 'POST', body: 'ff8800' })

// Each test begins with a new server: no runs, no files, no faults.
beforeEach(() => control('reset', {}))

await test('It makes a picture, with one run.', async () => {
  const picture = await askForPicture()
  assert.equal(picture.status, 200)
  assert.match(Buffer.from(await picture.arrayBuffer()).toString('latin1'), /^\x89PNG/)
  assert.equal((await control('requests?path=/prompt')).length, 1)
})

await test('It says so when the server has no room.', async () => {
  await control('faults', { when: { path: '/prompt' }, then: { status: 503 } })
  assert.equal((await askForPicture()).status, 503)
})

await test('It says so when the connection is lost.', async () => {
  await control('faults', { when: { path: '/prompt' }, then: { reset: true } })
  assert.equal((await askForPicture()).status, 502)
})
