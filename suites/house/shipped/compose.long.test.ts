// The programs of compose.yaml on this machine: the product and its tests, with a server that has the variables of the stack.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../support/packed.ts'
import { main, startProcess } from '../../support/spawned.ts'

const program = (name: string): string => join(root, 'recordings/examples/compose', name)

test('house/compose-runs The tests of the product pass on flowdouble.', async () => {
  const variables = ['FLOWDOUBLE_PORT=0', 'FLOWDOUBLE_JSON=1', 'FLOWDOUBLE_CONTROL_TOKEN=a-token']
  const node = process.execPath
  const server = startProcess('env', [...variables, 'FLOWDOUBLE_PACE=50', node, main, 'serve'])
  const { url } = JSON.parse(await server.says(/\n/)) as { url: string }
  const product = startProcess('env', [
    `COMFYUI_URL=${url}`,
    'PORT=0',
    node,
    program('product.mjs'),
  ])
  const port = /\d+/.exec(await product.says(/listens on \d+/))?.[0]
  const about = [`PRODUCT_URL=http://127.0.0.1:${port}`, `COMFYUI_URL=${url}`]
  const flags = ['--test', '--test-reporter=tap', program('tests.mjs')]
  const tests = startProcess('env', [...about, 'CONTROL_TOKEN=a-token', node, ...flags])
  expect(await tests.ends).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/# pass 3\n# fail 0/),
  })
  product.process.kill()
  await product.ends
  await server.stop()
})
