// Sessions whose transcripts are kept: everything that a client receives, which is the same for the same seed.

import { createHash } from 'node:crypto'
import type { Session } from '../judge/client.ts'
import { formOf, viewPath } from '../generate/form.ts'
import { failing, type Graph, slow, textToImage } from '../generate/graphs.ts'
import { type Answer, direct, SECRET, startGatewaySubject } from '../judge/gateway-subject.ts'
import type { Edge } from '../judge/edges.ts'
import { startSubject } from '../judge/subject.ts'
import type { Reply } from '../judge/reply.ts'

const preview = (image: string): Graph => ({
  '1': { class_type: 'LoadImage', inputs: { image } },
  '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
})
type Output = Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>

/** Records what a client receives, a line each: short texts as they are, the rest by length and hash. */
function startTranscript() {
  const lines: string[] = []
  const note = (...items: readonly (string | Uint8Array)[]): void => {
    for (const item of items) {
      const isShort = typeof item === 'string' && item.length <= 560 && !item.includes('\n')
      const digest = createHash('sha256').update(item).digest('hex').slice(0, 16)
      lines.push(isShort ? item : `${item.length} ${typeof item} ${digest}`)
    }
  }
  const noteReply = ({ status, headers, bytes }: Reply): void =>
    note(`${status}`, withoutPort(JSON.stringify(headers)), withoutPorts(bytes))
  const noteSession = async (session: Session): Promise<void> => {
    await session.settled()
    note(...session.texts)
    for (const { frame, fields } of session.frames()) {
      note(frame)
      for (const value of Object.values(fields)) {
        note(value instanceof Uint8Array ? value : JSON.stringify(value))
      }
    }
  }
  return { lines, note, noteReply, noteSession }
}

/** Free ports differ from run to run, and with them the signatures of links, which cover their host. */
const withoutPort = (text: string): string =>
  text
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT')
    .replaceAll(/Signature=[^"&]+/g, 'Signature=OF-THIS-PORT')
const withoutPorts = (bytes: Buffer): string | Buffer => {
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? withoutPort(text) : bytes
}

/**
 * Plays the same session in a local world with this seed. Returns everything that a client received, hashes of the
 * pictures, and the journal.
 */
export async function live(seed: string, edge?: Edge) {
  const subject = await startSubject({ seed, preview: 'jpeg' }, edge)
  const { connect, emulator, get, idle, post, reach, request, run, submit } = subject
  const { lines, note, noteReply, noteSession } = startTranscript()
  const me = await connect('me')
  const other = await connect()
  for (const path of ['/', '/system_stats', '/object_info/KSampler', '/models/vae', '/none']) {
    noteReply(await get(path))
  }
  const form = formOf({ name: 'image', filename: 'my.bin', content: Uint8Array.of(0, 255, 10) })
  noteReply(await request('POST', '/upload/image', ...form))
  note((await run(me, textToImage(1, 3, 2))).prompt_id)
  me.send('{"type": "feature_flags", "data": {"supports_preview_metadata": true}}')
  note((await run(me, textToImage(2))).prompt_id)
  noteReply(await submit(textToImage(3)))
  noteReply(await submit({ '1': { class_type: 'None', inputs: {} } }))
  noteReply(await get('/queue'))
  await idle()
  await submit(slow(), { client_id: 'me', prompt_id: 'stopped' })
  await reach(me, ({ type, data }) => type === 'progress' && data['prompt_id'] === 'stopped')
  noteReply(await post('/interrupt', {}))
  await idle()
  await run(me, failing())
  await run(me, preview('example.png'))
  await emulator?.advance(1500)
  const history = await get('/history')
  noteReply(history)
  const entries: { outputs: Readonly<Record<string, Output>> }[] = Object.values(history.json())
  const outputs = entries.flatMap((entry) => Object.values(entry.outputs))
  const files = outputs.flatMap((output) => Object.values(output).flat())
  const views: Reply[] = []
  for (const file of files) views.push(await get(viewPath(file)))
  views.forEach(noteReply)
  const pictures = views.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))
  noteReply(await get(viewPath({ filename: 'my.bin', type: 'input' })))
  await noteSession(me)
  await noteSession(other)
  const journal = (await emulator?.journal()) ?? []
  await subject.close()
  return { lines, journal, pictures }
}

/** A session on hosted: jobs that succeed, fail and are cancelled, a link and its file. */
export async function liveHosted(seed: string, edge?: Edge): Promise<readonly string[]> {
  const subject = await startSubject({ seed, deployment: 'hosted', preview: 'jpeg' }, edge)
  const { connect, get, idle, post, raw, reach, run, submit, upload, view } = subject
  const { lines, noteReply, noteSession } = startTranscript()
  const me = await connect('me')
  noteReply(await raw('GET', '/api/queue'))
  for (const path of ['/system_stats', '/object_info/KSampler', '/models/vae', '/none', '/user']) {
    noteReply(await get(path))
  }
  noteReply(await upload({ name: 'my.bin', bytes: Uint8Array.of(0, 255, 10) }))
  const { prompt_id } = await run(me, textToImage(1, 3, 2))
  const detail = await get(`/jobs/${prompt_id}`)
  noteReply(detail)
  const [file] = Object.values(detail.json().outputs as Record<string, Output>)[0]!['images']!
  noteReply(await get(viewPath(file!)))
  noteReply(await view(file!))
  const stopped = (await submit(slow())).json().prompt_id as string
  await reach(me, ({ type, data }) => type === 'progress' && data['prompt_id'] === stopped)
  noteReply(await get('/queue'))
  noteReply(await post('/interrupt', {}))
  await idle()
  await run(me, failing('OOMError'))
  noteReply(await get('/jobs'))
  noteReply(await get('/history'))
  await noteSession(me)
  await subject.close()
  return lines
}

/** A session with the gateway: a run, a direct delivery, a repeat, refusals, a failing delivery. */
export async function liveGateway(seed: string): Promise<readonly string[]> {
  const routes = {
    hook: {
      secret: SECRET,
      prompt: 'Build {status}',
      deliver: 'telegram',
      deliver_extra: { chat_id: '1' },
    },
    direct: direct('Build {status} {none}', { deliver_extra: { chat_id: '2' } }),
    filtered: { secret: SECRET, events: ['push'] },
  }
  const { gateway, idle, post, send, close } = await startGatewaySubject({ seed, routes, epoch: 0 })
  const { lines, note } = startTranscript()
  const noteAnswer = ({ status, body }: Answer): void => note(`${status}`, body)
  noteAnswer(await send('GET', '/health'))
  noteAnswer(await post('hook', { status: 'green' }, { 'X-Request-ID': 'one' }))
  noteAnswer(await post('hook', { status: 'green' }, { 'X-Request-ID': 'one' }))
  noteAnswer(await post('direct', { status: 'red' }))
  noteAnswer(await post('filtered', {}, { 'X-GitHub-Event': 'issues' }))
  noteAnswer(await post('none', {}))
  noteAnswer(await post('hook', '{', {}))
  noteAnswer(await send('POST', '/webhooks/hook', '{}'))
  await idle()
  gateway.failDeliveries({ target: '*', error: 'out of reach', times: 1 })
  noteAnswer(await post('direct', { status: 'blue' }))
  await idle()
  note(...gateway.runs().map((run) => JSON.stringify(run)))
  note(...gateway.outbox().map((entry) => JSON.stringify(entry)))
  await close()
  return lines
}
