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
    atLeast: 0.28,
    detail: detailOf(costs),
  }
  yield await fanOutRow(emulator, load, { rounds, connectedRuns })
  await Promise.all([emulator.stop(), load.stop()])
}

/** How many runs are asked for in turn. */
const RUNS = 100

/** What is read from a hosted server once runs have ended. */
async function readsOf({ ready: { port, signedUrl } }) {
  const ask = (path, more = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...more,
      headers: { 'X-API-Key': key },
      redirect: 'manual',
    })
  const jobs = []
  const views = []
  const links = []
  for (let run = 0; run < RUNS; run++) {
    const submitted = await ask('/api/prompt', { method: 'POST', body: nextBody('sampler') })
    const job = `/api/jobs/${(await submitted.json()).prompt_id}`
    const { outputs } = await (await ask(job)).json()
    const [image] = Object.values(outputs).flatMap(({ images = [] }) => images)
    const view = `/api/view?${new URLSearchParams(image)}`
    jobs.push(job)
    views.push(view)
    links.push(new URL((await ask(view)).headers.get('location')))
  }
  return [
    {
      name: 'hosted-get',
      what: 'GET /api/system_stats',
      paths: ['/api/system_stats'],
      key,
      atLeast: 0.8,
    },
    {
      name: 'hosted-job',
      what: `GET /api/jobs/{id} of ${RUNS} runs of 10 nodes`,
      paths: jobs,
      key,
      atLeast: 0.45,
    },
    {
      name: 'hosted-view',
      what: `GET /api/view of ${RUNS} files, the redirect`,
      paths: views,
      key,
      status: 302,
      atLeast: 0.45,
    },
    {
      name: 'hosted-link',
      what: 'GET of signed links, each a picture of 512 x 768',
      // Each picture is encoded once, and some megabytes of them are kept.
      paths: links.slice(0, 10).map(({ pathname, search }) => `${pathname}${search}`),
      host: links[0].host,
      port: Number(new URL(signedUrl).port),
      atLeast: 0.85,
    },
  ]
}

/** The bare server answers with as many bytes as the answers to the paths have on average. */
async function readCosts(
  emulator,
  load,
  { name: _, what: __, atLeast: ___, ...request },
  { rounds, gets },
) {
  const { port = emulator.ready.port, paths, host = `127.0.0.1:${port}`, status = 200 } = request
  const headers = request.key === undefined ? {} : { 'X-API-Key': request.key }
  let all = 0
  for (const path of paths) {
    const reply = await fetch(`http://${host}${path}`, { headers, redirect: 'manual' })
    if (reply.status !== status) throw new Error(`${path} answered ${reply.status}`)
    all += (await reply.arrayBuffer()).byteLength
  }
  const bytes = Math.max(2, Math.round(all / paths.length))
  const bare = await startChild('bare-http.mjs', { bytes })
  const ours = () => costOf(emulator, load, { ...request, count: gets })
  const theirs = () => costOf(bare, load, { paths, count: gets })
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
