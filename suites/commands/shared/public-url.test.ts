// Clients reach a server through proxies: one with a path, and on hosted one for links.

import { type Emulator, startEmulator } from 'flowdouble'
import { onTestFinished } from 'vitest'
import type { Deployment } from '../../../spec/language.ts'
import { textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { v2Of } from '../../judge/hosted/v2.ts'
import { proves } from '../../judge/proves.ts'
import { subjectOf } from '../../judge/subject.ts'

const publicUrl = 'https://flows.example/base/'

/** Starts a server behind the proxies, with a world. */
async function started(
  deployment: Deployment,
): Promise<readonly [server: Emulator, world: Emulator]> {
  const server = await startEmulator({
    deployment,
    clock: 'manual',
    publicUrl,
    ...(deployment === 'hosted' && { signedBaseUrl: 'https://links.example' }),
  })
  onTestFinished(() => server.close())
  return [server, await server.world({ name: 'one' })]
}

proves('shared/public-url', async ({ deployment }) => {
  const [server] = await started(deployment)
  const place = { name: 'one', url: 'https://flows.example/base/w/one' }
  const worlds = `${server.url}/_flowdouble/worlds`
  expect(await (await fetch(worlds)).json()).toMatchObject([place])
  const put = await fetch(`${worlds}/two`, { method: 'PUT' })
  expect(await put.json()).toEqual({ name: 'two', url: 'https://flows.example/base/w/two' })
})

proves('shared/public-links', async ({ deployment }) => {
  const [server, one] = await started(deployment)
  const location = async (emulator: Emulator, path: string): Promise<string | null> => {
    const { key } = subjectOf(emulator)
    const root = deployment === 'hosted' ? '/api' : ''
    const headers = { 'X-API-Key': key }
    const reply = await fetch(emulator.url + root + path, { redirect: 'manual', headers })
    return reply.headers.get('location')
  }
  for (const emulator of [server, one])
    emulator.fault({ when: { path: '/queue' }, then: { status: 307, location: '/other' } })
  expect(await location(server, '/queue')).toBe('/base/other')
  expect(await location(one, '/queue')).toBe('/base/w/one/other')
  if (deployment === 'local')
    await expect(startEmulator({ deployment: 'hosted', publicUrl })).rejects.toThrow(
      /publicUrl requires the address.*--signed-base-url/,
    )
  else
    for (const [emulator, path] of [
      [server, ''],
      [one, '/w/one'],
    ] as const) {
      const job = await (await v2Of(subjectOf(emulator))).run(textToImage())
      expect(job.urls.self).toBe(`/base${path}/api/v2/jobs/${job.id}`)
      const link = expect.stringMatching(`^https://links\\.example${path}/test-user/`)
      expect(job.outputs[0].url).toEqual(link)
      const { outputs } = (await subjectOf(emulator).finished(job.id))!
      const [entry] = Object.values<any>(outputs).flatMap(({ images }) => images ?? [])
      expect(await location(emulator, `/view?filename=${entry!.filename}`)).toEqual(link)
    }
})
