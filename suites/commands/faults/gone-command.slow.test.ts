// How the command `serve` is gone: its port is closed for a time, and its process ends with the code of a fault.

import { expect } from '../../judge/expect.ts'
import { proves, test } from '../../judge/proves.ts'
import { isOpen } from '../../support/faults.ts'
import { fileOf, serving } from '../../support/spawned.ts'

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', body: JSON.stringify(body) })

const scenarioOf = (then: object): string =>
  fileOf({ version: 1, faults: [{ id: 'gone', when: { path: '/queue', nth: 1 }, then }] })

proves(
  'faults/exit-command',
  async ({ deployment }) => {
    for (const served of [deployment, 'both']) {
      const flags = ['--scenario', scenarioOf({ exit: 137 }), '--deployment', served]
      const { url, ends } = await serving(...flags)
      await expect(fetch(`${url}${served === 'hosted' ? '/api' : ''}/queue`)).rejects.toThrow()
      const { code, stderr } = await ends
      expect({ code, stderr }).toMatchObject({
        code: 137,
        stderr: expect.stringMatching(/the fault "gone" applies\n.*the server has exited with 137/),
      })
    }
  },
  {},
)

test('A process with other worlds at its port goes on, and resets what comes for the first', async () => {
  const { url, stop } = await serving('--scenario', scenarioOf({ exit: 1 }))
  const { url: beside } = (await (
    await post(`${url}/_flowdouble/worlds`, { name: 'beside', scenario: { version: 1 } })
  ).json()) as { url: string }
  await expect(fetch(`${url}/queue`)).rejects.toThrow()
  await expect(fetch(`${url}/queue`)).rejects.toThrow()
  expect((await fetch(`${beside}/queue`)).status).toBe(200)
  // A reset brings it back.
  expect((await post(`${url}/_flowdouble/reset`, {})).status).toBe(200)
  expect((await fetch(`${url}/prompt`)).status).toBe(200)
  await stop()
})

test('serve on a running clock closes its port, and opens it again', async () => {
  const scenario = scenarioOf({ restart: { downMs: 300 } })
  const { url, hosted, logs, stop } = await serving('--deployment', 'both', '--scenario', scenario)
  await expect(fetch(`${url}/queue`)).rejects.toThrow()
  expect(await isOpen(url)).toBe(false)
  await logs(/the server is there again/)
  // The port is open before the process answers anybody.
  expect((await fetch(hosted.url)).status).toBe(404)
  expect((await fetch(`${url}/prompt`)).status).toBe(200)
  await stop()
})

test('serve on a manual clock answers its control paths while it is down', async () => {
  const scenario = scenarioOf({ restart: { downMs: 60_000 } })
  const { url, stop } = await serving('--clock', 'manual', '--scenario', scenario)
  for (const path of ['/queue', '/prompt', '/'])
    await expect(fetch(url + path)).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) },
    })
  expect(await (await post(`${url}/_flowdouble/advance`, { ms: 59_999 })).json()).toMatchObject({
    nowMs: 59_999,
  })
  await expect(fetch(`${url}/prompt`)).rejects.toThrow()
  await post(`${url}/_flowdouble/advance`, { ms: 1 })
  expect((await fetch(`${url}/prompt`)).status).toBe(200)
  await stop()
})
