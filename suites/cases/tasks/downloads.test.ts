// Downloads of assets from elsewhere. Most run in worlds of the suites alone: another server would fetch something.

import { hostedAsset } from '../../../spec/assets/hosted-assets.ts'
import { downloadFaults, remoteMetadata } from '../../../spec/assets/tasks.ts'
import { expectRefusal, libraryOf, pathOf, ours, provesLibrary } from '../../judge/hosted/assets.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { ended, messagesOf, taskIn, urlOf } from '../../judge/hosted/tasks.ts'
import { fetchLink } from '../../judge/http-client.ts'
import { expect } from '../../judge/expect.ts'
import { ownWorld } from '../../judge/proves.ts'

const MODEL = 'https://models.example/some/folder/nice%20model.safetensors?download=true'

provesLibrary(
  'tasks/remote-metadata',
  async (subject) => {
    const { ask } = await libraryOf(subject)
    const read = async (url: string) =>
      fitting(
        remoteMetadata,
        await ask('GET', `/assets/remote-metadata?url=${encodeURIComponent(url)}`),
      )
    const found = await read(MODEL)
    expect(found).toMatchObject({
      filename: 'nice model.safetensors',
      name: 'nice model',
      content_type: 'application/safetensors',
      validation: { is_valid: true },
    })
    expect(found.content_length).toBeGreaterThan(0)
    expect(await read('https://models.example/api/download/models/1')).toMatchObject({
      filename: '1.safetensors',
    })
    expect(await read('https://models.example/a.exe')).toMatchObject({
      content_length: -1,
      validation: { is_valid: false, errors: [{ code: 'FORMAT_NOT_ALLOWED' }] },
    })
  },
  ownWorld,
)

provesLibrary('tasks/bad-url', async (subject) => {
  const { ask } = await libraryOf(subject)
  expectRefusal(await ask('GET', '/assets/remote-metadata'), 400, ours(subject, 'INVALID_REQUEST'))
  for (const body of ['{}', '{', '{"source_url": 5}'])
    expectRefusal(
      await ask('POST', '/assets/download', body),
      400,
      ours(subject, 'INVALID_REQUEST'),
    )
  for (const url of ['nothing', 'ftp://models.example/a.safetensors', 'http://']) {
    expectRefusal(
      await ask('GET', `/assets/remote-metadata?url=${encodeURIComponent(url)}`),
      422,
      ours(subject, 'INVALID_URL'),
    )
    expectRefusal(
      await ask('POST', '/assets/download', { source_url: url }),
      422,
      ours(subject, 'INVALID_URL'),
    )
  }
})

provesLibrary(
  ['tasks/download', 'tasks/download-messages'],
  async (subject) => {
    const library = await libraryOf(subject)
    const session = await subject.connect()
    const body = { source_url: MODEL, tags: ['models', 'loras'], user_metadata: { a: 1 } }
    const reply = await library.ask('POST', '/assets/download', body)
    expect(reply.json()).toMatchObject({ status: 'created' })
    const id = taskIn(reply)
    const { status, result, payload } = await ended(subject, library, session, id)
    expect({ status, payload }).toEqual({ status: 'completed', payload: body })
    const messages = messagesOf(session, id)
    const types = new Set(messages.map(({ type }) => type))
    expect([...types]).toEqual(['asset_download'])
    const progress = messages.map(({ data }) => data['progress'] as number)
    expect(progress).toEqual([...new Set(progress)].toSorted((a, b) => a - b))
    const last = messages.at(-1)?.data
    expect(last).toMatchObject({
      asset_name: 'nice model.safetensors',
      asset_id: result.asset_id,
      progress: 1,
    })
    expect(last?.['bytes_downloaded']).toBe(last?.['bytes_total'])
    expect(messages[0]?.data).toMatchObject({ status: 'running' })
    const found = fitting(hostedAsset, await library.ask('GET', pathOf({ id: result.asset_id })))
    expect(found).toMatchObject({
      name: 'nice model.safetensors',
      loader_path: 'nice model.safetensors',
      tags: ['loras', 'models'],
      user_metadata: { a: 1 },
      size: last?.['bytes_total'],
    })
    const { headers } = await library.ask('GET', pathOf(found, '/content'))
    expect((await fetchLink(headers['location'] ?? '')).bytes.length).toBe(found.size)
    expect((await subject.get('/models/loras')).text).toContain('nice model.safetensors')
  },
  ownWorld,
)

provesLibrary(
  ['tasks/download-known', 'tasks/same'],
  async (subject) => {
    const library = await libraryOf(subject)
    const session = await subject.connect()
    const download = () =>
      library.ask('POST', '/assets/download', { source_url: urlOf(subject, 'known.safetensors') })
    const id = taskIn(await download())
    expect(taskIn(await download())).toBe(id)
    const { result } = await ended(subject, library, session, id)
    const known = (await library.ask('GET', pathOf({ id: result.asset_id }))).json()
    const { id: same, name } = fitting(hostedAsset, await download())
    expect({ same, name }).toEqual({ same: result.asset_id, name: known.name })
    await library.ask('DELETE', pathOf({ id: result.asset_id }))
    expect(taskIn(await download())).not.toBe(id)
  },
  ownWorld,
)

provesLibrary(
  ['tasks/download-failed', 'tasks/scripted'],
  async (subject) => {
    const library = await libraryOf(subject)
    const session = await subject.connect()
    const base = urlOf(subject, 'failing.safetensors')
    const failing = downloadFaults.map((code) => [`${base}#${code}`, code] as const)
    for (const [source_url, code] of [
      ...failing,
      ['https://nowhere.invalid/a.safetensors', 'RESOURCE_NOT_FOUND'] as const,
    ]) {
      const id = taskIn(await library.ask('POST', '/assets/download', { source_url }))
      const task = await ended(subject, library, session, id)
      expect(task).toMatchObject({ status: 'failed', error_message: code })
      expect(task).not.toHaveProperty('result')
      const last = messagesOf(session, id).at(-1)
      expect(last?.data).toMatchObject({ status: 'failed', error: code })
      expect(last?.data).not.toHaveProperty('asset_id')
    }
    expect(await library.idsIn('name_contains=failing')).toEqual([])
  },
  ownWorld,
)
