// A small client that keeps all duties, except for those that it is given as flaws: the duties are proved with it.

import type { ClientTarget } from '../../check/duties/judge-client.ts'
import type { ClientEnd } from '../../check/duties/observed.ts'
import { Accepted, follow, type Outputs } from './follow.ts'
import { listen, type Listener } from './listen.ts'
import {
  type Flaw,
  GivesUp,
  type Habit,
  Hangs,
  insist,
  newSession,
  type Session,
} from './session.ts'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

/** Uploads a picture, inverts it on the server, and downloads the result; returns how a command would end. */
export async function scriptedClient(
  target: ClientTarget,
  flaws: readonly Flaw[] = [],
  habit: Habit = 'both',
): Promise<ClientEnd> {
  const session = newSession(target, flaws, habit)
  try {
    await work(session)
    return { exitCode: 0, output: 'done' }
  } catch (error) {
    if (error instanceof Hangs) return { exitCode: null, output: '' }
    if (error instanceof Accepted) return { exitCode: 0, output: 'done' }
    return { exitCode: 1, output: String(error) }
  }
}

async function work(session: Session): Promise<void> {
  const { has, habit } = session
  const clientId = crypto.randomUUID()
  if (session.deployment === 'hosted') await listModels(session)
  const name = await upload(session)
  const isLate = has('late-socket')
  const open = async (): Promise<Listener | undefined> =>
    habit === 'polls' ? undefined : openSocket(session, clientId)
  const early = isLate ? undefined : await open()
  const prompt_id = await submit(session, clientId, name)
  if (has('runs-of-others')) await session.ask('/interrupt', { method: 'POST' })
  const listener = early ?? (isLate ? await open() : undefined)
  try {
    const { outputs, ends } = await follow(session, prompt_id, clientId, listener)
    const times = has('repeated-end') ? Math.max(1, ends) : 1
    for (let left = times; left > 0; left--) await download(session, outputs)
  } finally {
    listener?.close()
  }
}

async function openSocket(session: Session, clientId: string): Promise<Listener | undefined> {
  const { has } = session
  const listener = await listen(session, clientId)
  if (listener !== undefined) return listener
  if (has('no-socket')) throw new GivesUp('the server rejects the socket')
  if (!has('handshake-pace')) return undefined
  await Promise.all(Array.from({ length: 20 }, () => listen(session, clientId)))
}

async function listModels(session: Session): Promise<void> {
  const path = '/experiment/models/checkpoints'
  const reply = await session.ask(path)
  if (reply.status < 400 || session.has('folder-not-found')) return
  if (reply.status !== 404) await repeatRejected(session, path, {})
  const text = await reply.text()
  if (!text.includes('"folder_not_found"')) throw new GivesUp(`models ${reply.status} ${text}`)
}

async function upload(session: Session): Promise<string> {
  const form = new FormData()
  form.set('image', new Blob([pixel]), 'photo.png')
  const reply = await repeatRejected(session, '/upload/image', { method: 'POST', body: form })
  const { name } = (await reply.json()) as { name: string }
  return session.has('uploads') ? 'photo.png' : name
}

/** Sends a request; a client with one of these flaws repeats it although the server rejects it for good. */
async function repeatRejected(
  session: Session,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const reply = await session.ask(path, init)
  if (reply.status < 400) return reply
  const isStubborn =
    (reply.status === 401 && session.has('rejected-key')) ||
    (reply.status === 403 && session.has('free-tier'))
  for (let left = isStubborn ? 5 : 0; left > 0; left--) await session.ask(path, init)
  throw new GivesUp(`${path} ${reply.status}`)
}

async function submit(session: Session, clientId: string, name: string): Promise<string> {
  const { has } = session
  const client_id = has('client-id') ? crypto.randomUUID() : clientId
  const prompt = {
    1: { class_type: 'LoadImage', inputs: { image: name } },
    2: { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
    3: { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'inverted' } },
  }
  const key = has('partner-key') ? session.apiKey : session.partnerKey
  const seed = has('long-numbers') ? '9214636847165324000' : '9214636847165323561'
  const text = JSON.stringify({
    prompt,
    client_id,
    extra_data: { api_key_comfy_org: key, seed: 0 },
  })
  const init = { method: 'POST', body: text.replace('"seed":0', `"seed":${seed}`) }
  try {
    const reply = await insist(session, 'retry-after', '/prompt', init)
    const { prompt_id, node_errors } = (await reply.json()) as Record<string, any>
    if (Object.keys(node_errors).length === 0) return prompt_id as string
    if (has('node-errors')) throw new Hangs()
    throw new GivesUp(JSON.stringify(node_errors))
  } catch (error) {
    if (error instanceof Hangs) throw error
    const isLost = !(error instanceof GivesUp)
    if (has(isLost ? 'lost-reply' : 'rejected-workflow')) await session.ask('/prompt', init)
    throw has('names-the-node') ? new GivesUp('the workflow is rejected') : error
  }
}

type File = { readonly filename: string; readonly subfolder: string; readonly type: string }

async function download(session: Session, outputs: Outputs): Promise<void> {
  const { has } = session
  const files: File[] = Object.values(outputs).flatMap((output) =>
    Object.entries(output)
      .filter(([key]) => !has('video-keys') || key === 'images')
      .flatMap(([, items]) => items),
  )
  if (has('other-outputs')) for (const { filename } of files) filename.toLowerCase()
  const real = files.filter((one) => typeof one?.filename === 'string')
  if (real.length === 0) throw new GivesUp('no outputs')
  for (const one of real) {
    if (has('video-under-images') && !one.filename.endsWith('.png')) continue
    await downloadOne(session, one)
  }
}

async function downloadOne(session: Session, { filename, subfolder, type }: File): Promise<void> {
  const { has } = session
  const query = has('file-names')
    ? `filename=${filename}&subfolder=${subfolder}&type=${type}`
    : new URLSearchParams({ filename, subfolder, type }).toString()
  let view = await insist(session, 'bad-gateway', `/view?${query}`)
  try {
    if (session.deployment === 'hosted') {
      const first = await followLink(session, view)
      const isRepeated = first.status >= 400 && !has('expired-link')
      if (isRepeated) view = await insist(session, 'bad-gateway', `/view?${query}`)
      view = isRepeated ? await followLink(session, view) : first
    }
    if (view.status >= 400) throw new GivesUp(`link ${view.status}`)
    await view.arrayBuffer()
  } catch (error) {
    if (!has('broken-download')) throw error
  }
}

function followLink({ has, apiKey }: Session, view: Response): Promise<Response> {
  const headers = has('key-stays-home') ? { 'X-API-Key': apiKey } : {}
  return fetch(view.headers.get('location') ?? '', { headers })
}
