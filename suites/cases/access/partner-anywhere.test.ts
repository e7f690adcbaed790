// Partner nodes of any local server: without the key a run fails at its node and costs nothing, and no listing shows a key.

import { secretKeys } from '../../../spec/server/access.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { messagesAbout, occupy, shown, submitFor } from '../../judge/own-runs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'

const local = { deployment: 'local' } as const

/** A picture from a partner, turned and shown. */
const bought = ({ unique }: Subject): Graph => ({
  '1': node('OpenAIDalle3', { prompt: unique('a lighthouse') }),
  '3': node('ImageInvert', { image: ['1', 0] }),
  '2': node('PreviewImage', { images: ['3', 0] }),
})

proves(
  'access/partner-key-missing',
  async (subject) => {
    const session = await subject.connect(subject.unique('me'))
    for (const extra_data of [{}, { api_key_comfy_org: '' }]) {
      const graph = bought(subject)
      const { entry, messages, prompt_id } = await subject.run(session, graph, { extra_data })
      const errors = messages.filter(({ type }) => type === 'execution_error')
      expect(errors).toMatchObject([
        { data: { prompt_id, node_id: '1', node_type: 'OpenAIDalle3', executed: [] } },
      ])
      if (subject.isOwn) expect(errors[0]?.data['exception_message']).toMatch(/login/i)
      expect(entry.status).toMatchObject({ status_str: 'error', completed: false })
      expect(entry.status.messages.at(-1)).toEqual(['execution_error', errors[0]?.data])
      expect(entry.outputs).toEqual({})
    }
  },
  local,
)

const secret = 'secret-of-flowdouble-check'
const secrets = Object.fromEntries(secretKeys.map((name) => [name, `${secret} ${name}`]))

proves(
  'access/partner-key-hidden',
  async (subject) => {
    const { get, unique, finished, queue } = subject
    const session = await subject.connect(unique('me'))
    const extra_pnginfo = { workflow: { mine: unique('shown') } }
    const extra_data = { ...secrets, extra_pnginfo }
    const held = await occupy(subject, session)
    const id = await submitFor(subject, session, shown(subject, 'hidden'), { extra_data })
    const listing = await get('/queue')
    const waiting = (await queue()).pending.find(({ prompt_id }) => prompt_id === id)
    await held.stop()
    await subject.idle()
    const over = await finished(id)
    const texts = [listing.text, (await get('/history')).text, (await get(`/history/${id}`)).text]
    for (const text of texts) {
      expect(text).toContain(unique('shown'))
      expect(text).not.toContain(secret)
    }
    for (const listed of [waiting, over]) {
      expect(listed?.extra_data).toMatchObject({ extra_pnginfo })
      for (const name of secretKeys) expect(Object.keys(listed?.extra_data)).not.toContain(name)
    }
    expect(JSON.stringify(messagesAbout(session, id))).not.toContain(secret)
  },
  local,
)

provesQuirk('local.queue-shows-partner-key', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const held = await occupy(subject, session)
  const id = await submitFor(subject, session, shown(subject, 'seen'), { extra_data: secrets })
  const waiting = (await subject.queue()).pending.find(({ prompt_id }) => prompt_id === id)
  await held.stop()
  expect(waiting?.extra_data).toMatchObject(secrets)
})

// Without a run that is held back, on a server whose runs take no time.
proves(
  'access/partner-key-hidden',
  async (subject) => {
    const { run, get, unique } = subject
    const session = await subject.connect(unique('me'))
    const extra_data = { ...secrets, extra_pnginfo: { workflow: { mine: unique('shown') } } }
    const { prompt_id, entry } = await run(session, shown(subject, 'at once'), { extra_data })
    for (const path of ['/history', `/history/${prompt_id}`, '/history?max_items=1000']) {
      const { text } = await get(path)
      expect(text).toContain(unique('shown'))
      expect(text).not.toContain(secret)
    }
    for (const name of secretKeys) expect(Object.keys(entry.extra_data)).not.toContain(name)
    expect(session.texts.join('\n')).not.toContain(secret)
  },
  local,
)
