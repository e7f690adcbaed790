// A hosted server: the cost of its requests behind the key, and of one run whose messages go to all sockets of an
// account.
// The bare servers check no key.

import { startChild } from './child.mjs'
import { compare, costOf, us } from './measure.mjs'
import { nextBody } from './workload.mjs'

const key = 'test-key'
const SOCKETS = 50
const POST = { path: '/api/prompt', key, changed: 'sampler' }

const detailOf = ({ ours, theirs }) => `${us(ours)}, bare ${us(theirs)}`

export async function* hosted({ rounds, gets, posts, barePosts, connectedRuns }) {
  const load = await startChild('load.mjs')
  const emulator = await startChild('emulator-http.mjs', { deployment: 'hosted' })
  for (const request of await readsOf(emulator)) {
    const costs = await readCosts(emulator, load, request, { rounds, gets })
    const { name, what, atLeast } = request
    const value = 1 / costs.ratio
    yield { name, what, value, unit: 'x bare', atLeast, detail: detailOf(costs) }
  }

  const bare = await startChild('bare-http.mjs')
  const cost = (server, count) => () => costOf(server, load, { ...POST, count })
  await cost(emulator, 2 * posts)()
  await cost(bare, barePosts)()
  const costs = await compare(rounds, cost(emulator, posts), cost(bare, barePosts))
  await bare.stop()
  yield {
    name: 'hosted-post',
    what: 'POST /api/prompt, 10 nodes, new seed, run at once',
    value: 1 / costs.ratio,
    unit: 'x bare',
    atLeast: 0.33,
    detail: detailOf(costs),
  }
  yield await fanOutRow(emulator, load, { rounds, connectedRuns })
  await Promise.all([emulator.stop(), load.stop()])
}

/** What is read from a hosted server once a run has ended. */
async function readsOf({ ready: { port, signedUrl } }) {
  const ask = (path, more = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...more,
      headers: { 'X-API-Key': key },
      redirect: 'manual',
    })
  const submitted = await ask('/api/prompt', { method: 'POST', body: nextBody('sampler') })
  const path = `/api/jobs/${(await submitted.json()).prompt_id}`
  const { outputs } = await (await ask(path)).json()
  const [image] = Object.values(outputs).flatMap(({ images = [] }) => images)
  const view = `/api/view?${new URLSearchParams(image)}`
  const link = new URL((await ask(view)).headers.get('location'))
  return [
    {
      name: 'hosted-get',
      what: 'GET /api/system_stats',
      path: '/api/system_stats',
      key,
      atLeast: 0.65,
    },
    {
      name: 'hosted-job',
      what: 'GET /api/jobs/{id} of a run of 10 nodes',
      path,
      key,
      atLeast: 0.45,
    },
    {
      name: 'hosted-view',
      what: 'GET /api/view, the redirect',
      path: view,
      key,
      status: 302,
      atLeast: 0.45,
    },
    {
      name: 'hosted-link',
      what: 'GET of the signed link, a picture of 512 x 768',
      path: `${link.pathname}${link.search}`,
      host: link.host,
      port: Number(new URL(signedUrl).port),
      atLeast: 0.35,
    },
  ]
}

/** The bare server answers with the same number of bytes. */
async function readCosts(
  emulator,
  load,
  { name: _, what: __, atLeast: ___, ...request },
  { rounds, gets },
) {
  const { port = emulator.ready.port, path } = request
  const headers = request.key === undefined ? {} : { 'X-API-Key': request.key }
  const first = await fetch(`http://127.0.0.1:${port}${path}`, { headers, redirect: 'manual' })
  const bytes = Math.max(2, (await first.arrayBuffer()).byteLength)
  const bare = await startChild('bare-http.mjs', { bytes })
  const ours = () => costOf(emulator, load, { ...request, count: gets })
  const theirs = () => costOf(bare, load, { path, count: gets })
  await ours()
  await theirs()
  const costs = await compare(rounds, ours, theirs)
  await bare.stop()
  return costs
}

/** A whole run with its submit, next to a loop that sends the same messages. */
async function fanOutRow(emulator, load, { rounds, connectedRuns }) {
  const bare = await startChild('bare-sockets.mjs')
  const both = []
  for (const { ready } of [emulator, bare]) {
    const { port } = ready
    const listeners = await startChild('listeners.mjs')
    await listeners.ask('open', { port, count: SOCKETS, key })
    both.push(listeners)
  }
  const ours = () => costOf(emulator, load, { ...POST, count: connectedRuns })
  await ours()
  const messages = await messagesOfRun(emulator)
  const theirs = () => bare.ask('send', { messages, times: connectedRuns })
  await theirs()
  const costs = await compare(rounds, ours, theirs)
  for (const listeners of both) {
    const { open } = await listeners.ask('received')
    if (open !== SOCKETS) throw new Error(`Only ${open} of ${SOCKETS} sockets are still connected.`)
    await listeners.stop()
  }
  await bare.stop()
  return {
    name: 'hosted-fan-out',
    what: `a run, its ${messages.length} messages to ${SOCKETS} sockets of one account`,
    value: 1 / costs.ratio,
    unit: 'x bare',
    atLeast: 1,
    detail: detailOf(costs),
  }
}

/** The texts that the latest run sent, taken from the journal. */
async function messagesOfRun({ ready: { port } }) {
  const journal = await fetch(`http://127.0.0.1:${port}/_flowdouble/journal`, {
    headers: { 'X-API-Key': key },
  })
  const lines = (await journal.text()).trim().split('\n').slice(1)
  const entries = lines.map((line) => JSON.parse(line))
  const submits = entries.map(({ input }) => input.kind === 'request' && input.method === 'POST')
  return entries
    .slice(submits.lastIndexOf(true))
    .flatMap(({ effects }) => effects)
    .filter(({ kind }) => kind === 'send')
    .map(({ text }) => text)
}
