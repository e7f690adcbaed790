// The product of compose.yaml: answers POST /pictures with a picture in the colour of its body, which the server of
// COMFYUI_URL makes, and with 503 if that server has no room. Listens on PORT, by default 3000.

import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'

const { COMFYUI_URL, PORT = '3000' } = process.env

const workflowFor = (color) => ({
  1: { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color } },
  2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'product' } },
})

async function makePicture(color) {
  const body = JSON.stringify({ prompt: workflowFor(color) })
  const submitted = await fetch(`${COMFYUI_URL}/prompt`, { method: 'POST', body })
  if (!submitted.ok) return submitted
  const { prompt_id } = await submitted.json()
  for (;;) {
    const history = await (await fetch(`${COMFYUI_URL}/history/${prompt_id}`)).json()
    const file = history[prompt_id]?.outputs[2]?.images[0]
    if (file !== undefined) return fetch(`${COMFYUI_URL}/view?${new URLSearchParams(file)}`)
    await setTimeout(20)
  }
}

async function answer(request, response) {
  try {
    const color = Number.parseInt((await request.toArray()).join(''), 16)
    const picture = await makePicture(color)
    if (!picture.ok) return response.writeHead(503).end('No room for another picture.\n')
    response.writeHead(200, { 'Content-Type': 'image/png' })
    return response.end(Buffer.from(await picture.arrayBuffer()))
  } catch {
    return response.writeHead(502).end('The server of pictures is gone.\n')
  }
}

createServer((request, response) => void answer(request, response)).listen(
  Number(PORT),
  function () {
    console.log(`listens on ${this.address().port}`)
  },
)
