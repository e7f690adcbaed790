// Partner nodes: without the key a run fails at its node and costs nothing, and nothing that the server sends shows a key.

import { secretKeys } from '../../../spec/server/access.ts'
import { bought, type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { messagesAbout, me, occupy, shown, submitFor } from '../../judge/own-runs.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import type { HistoryEntry } from '../../judge/responses.ts'
import type { Subject } from '../../judge/subject.ts'

/** A world of the suites accepts any text. */
const partnerKey = 'test-partner-key'

/** A picture from a partner, turned and shown. */
const turned = (prompt: string): Graph => ({
  '1': node('OpenAIDalle3', { prompt }),
  '3': node('ImageInvert', { image: ['1', 0] }),
  '2': node('PreviewImage', { images: ['3', 0] }),
})

proves('access/partner-key-names', async (subject) => {
  const { run, unique, isOwn } = subject
  const session = await me(subject)
  const outcome = async (extra_data: object, name = 'a lighthouse') => {
    const { entry, messages } = await run(session, turned(unique(name)), { extra_data })
    return { status: entry.status.status_str, nodes: messages.map(({ data }) => data['node']) }
  }
  const failed = { status: 'error' }
  // Failures first: once bought, a picture is in the cache.
  expect(await outcome({ api_key: 'k', API_KEY_PARTNER_ORG: 'k' })).toMatchObject(failed)
  expect(await outcome({ api_key_partner_org: '', api_key_comfy_org: '' })).toMatchObject(failed)
  const outcomes = [
    await outcome({ api_key_partner_org: partnerKey }),
    await outcome({ api_key_comfy_org: partnerKey }, 'another lighthouse'),
  ]
  const accepted = { status: 'success', nodes: expect.arrayContaining(['1']) }
  // A server elsewhere may know the key by one of the names.
  expect(isOwn ? outcomes : outcomes.filter(({ status }) => status === 'success')).toEqual(
    isOwn ? [accepted, accepted] : expect.arrayContaining([accepted]),
  )
})

proves(
  'access/partner-token',
  async (subject) => {
    const session = await me(subject)
    const outcome = async (auth_token_comfy_org: unknown) => {
      const fields = { extra_data: { auth_token_comfy_org } }
      return (await subject.run(session, bought(), fields)).entry.status.status_str
    }
    expect(await outcome('')).toBe('error')
    expect(await outcome(null)).toBe('error')
    expect(await outcome(partnerKey)).toBe('success')
  },
  ownWorld,
)

proves('access/partner-key-missing', async (subject) => {
  const session = await me(subject)
  for (const extra_data of [{}, { api_key_comfy_org: '' }]) {
    const graph = turned(subject.unique('a lighthouse'))
    const { entry, messages, prompt_id } = await subject.run(session, graph, { extra_data })
    const errors = messages.filter(({ type }) => type === 'execution_error')
    expect(errors).toMatchObject([
      { data: { prompt_id, node_id: '1', node_type: 'OpenAIDalle3', executed: [] } },
    ])
    if (subject.isOwn) expect(errors[0]?.data['exception_message']).toMatch(/login/i)
    expect(entry.status).toMatchObject({ status_str: 'error', completed: false })
    expect(entry.outputs).toEqual({})
  }
})

const secret = 'secret-of-flowdouble-check'
const secrets = Object.fromEntries(secretKeys.map((name) => [name, `${secret} ${name}`]))

/** What a case submits with the keys, which everybody may see. */
const visible = ({ unique }: Subject) => ({ workflow: { mine: unique('shown') } })
/** The keys and the rest. In a world of the suites one of them is valid, and buys pictures. */
const everything = (subject: Subject) => ({
  ...secrets,
  ...(subject.isOwn && { api_key_comfy_org: partnerKey }),
  extra_pnginfo: visible(subject),
})

/** Expects that a run is listed without the keys, and with the rest. */
function expectHidden(subject: Subject, listed?: Pick<HistoryEntry, 'extra_data'>): void {
  expect(listed?.extra_data).toMatchObject({ extra_pnginfo: visible(subject) })
  for (const name of secretKeys) expect(Object.keys(listed?.extra_data ?? {})).not.toContain(name)
}

/** Expects that a text has no key. */
function expectNoKey(text: string): void {
  for (const one of [secret, partnerKey]) expect(text).not.toContain(one)
}

proves('access/partner-key-hidden', async (subject) => {
  const { run, get, isOwn, unique } = subject
  const session = await me(subject)
  const graph = isOwn ? bought() : shown(subject, 'at once')
  const { prompt_id, entry } = await run(session, graph, { extra_data: everything(subject) })
  const paths = ['/history', `/history/${prompt_id}`, '/history?max_items=1000']
  const replies = await Promise.all(paths.map(get))
  if (isOwn) {
    expect(entry.status.status_str).toBe('success')
    replies.push(await subject.view(entry.outputs['2'].images[0]))
  }
  for (const { text } of replies) {
    expect(text).toContain(unique('shown'))
    expectNoKey(text)
  }
  expectHidden(subject, entry)
  expectNoKey(session.texts.join('\n'))
})

/** The listing of a run with the keys while it waits behind another, and of one that is at work in a world of the suites. */
async function listingsOf(subject: Subject, name: string) {
  const session = await me(subject)
  const extra_data = everything(subject)
  const held = await occupy(subject, session, {}, subject.isOwn ? { extra_data } : {})
  const id = await submitFor(subject, session, shown(subject, name), { extra_data })
  const { text } = await subject.get('/queue')
  const { running, pending } = await subject.queue()
  const waiting = pending.find(({ prompt_id }) => prompt_id === id)
  const working = running.find(({ prompt_id }) => prompt_id === held.prompt_id)
  await held.stop()
  await subject.idle()
  return { id, session, text, listed: subject.isOwn ? [waiting, working] : [waiting] }
}

proves('access/partner-key-hidden', async (subject) => {
  const { id, session, text, listed } = await listingsOf(subject, 'hidden')
  expectNoKey(text)
  for (const one of [...listed, await subject.finished(id)]) expectHidden(subject, one)
  expectNoKey(JSON.stringify(messagesAbout(session, id)))
})

provesQuirk('local.queue-shows-partner-key', async (subject) => {
  const { listed } = await listingsOf(subject, 'seen')
  for (const one of listed) expect(one?.extra_data).toMatchObject(everything(subject))
  if (subject.isOwn) expectNoKey((await subject.get('/history')).text)
})
