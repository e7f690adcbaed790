// What the control API returns about the past: requests, messages, frames and runs; and verification.

import { replay } from 'flowdouble'
import { textToImage, solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { casesWith, ownWorld } from '../../judge/proves.ts'

const proves = casesWith(ownWorld)

proves('control/requests', async (subject) => {
  const emulator = subject.emulator!
  const isHosted = subject.deployment === 'hosted'
  const key = { api_key_comfy_org: 'SECRET-KEY' }
  const { prompt_id } = (await subject.submit(solid(7), { extra_data: key })).json()
  await subject.upload({ name: 'a.png', bytes: Buffer.from('abc') }, { type: 'input' })
  await subject.get('/history?max_items=3&max_items=4')
  const requests = await emulator.requests()
  expect(requests.map(({ method, status }) => `${method} ${status}`)).toEqual([
    'POST 200',
    'POST 200',
    expect.stringMatching(/^GET \d+$/),
  ])
  expect(requests[0]).toMatchObject({
    nowMs: 0,
    body: { prompt: { '1': { inputs: { color: 7 } } } },
    run: prompt_id,
    user: isHosted ? emulator.options.accounts[0]?.user : null,
  })
  expect(requests[1]?.body).toEqual({
    fields: [
      { name: 'type', text: 'input' },
      { name: 'image', filename: 'a.png', type: expect.any(String), bytes: 3 },
    ],
  })
  expect(requests[2]?.query).toEqual({ max_items: '4' })
  expect(JSON.stringify(requests)).not.toContain('SECRET')
  expect(JSON.stringify(requests)).not.toContain('test-key')
  const found = await subject.get('/_flowdouble/requests?method=post&path=/prompt')
  expect(found.json()).toEqual(requests.slice(0, 1))
  expect((await subject.get('/_flowdouble/requests?run=none')).json()).toEqual([])
  expect((await subject.get('/_flowdouble/requests?rum=none')).status).toBe(400)
  // As curl sends JSON.
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  await subject.request('POST', '/prompt', '{"prompt": {}}', form)
  expect((await emulator.requests()).at(-1)?.body).toEqual({ prompt: {} })
  await emulator.reset()
  expect(await emulator.requests()).toEqual([])
})

proves('control/requests-handshakes', async (subject) => {
  const emulator = subject.emulator!
  const isHosted = subject.deployment === 'hosted'
  const awaited = emulator.received({ method: 'GET', path: '/ws' })
  await subject.connect('me')
  expect(await awaited).toMatchObject({
    query: { clientId: 'me' },
    body: null,
    status: 101,
    user: isHosted ? emulator.options.accounts[0]?.user : null,
    run: null,
  })
  const { status: refused } = await subject.get('/ws')
  expect(refused).toBeGreaterThanOrEqual(400)
  const statuses = (await emulator.requests({ path: '/ws' })).map(({ status }) => status)
  expect(statuses).toEqual([101, refused])
  expect(JSON.stringify(await emulator.requests())).not.toContain('test-key')
})

proves('control/requests-exact', async (subject) => {
  const emulator = subject.emulator!
  const seed = 9_214_636_847_165_323_561n
  const submit = `{"prompt": {"1": {"class_type": "None", "inputs": {"seed": ${seed}}}}}`
  await subject.request('POST', '/prompt', submit)
  const [sent] = await emulator.requests({ method: 'POST' })
  expect(sent?.body).toEqual({ prompt: { 1: { class_type: 'None', inputs: { seed } } } })
  const listed = await subject.get('/_flowdouble/requests?method=post')
  expect(listed.text).toContain(`"seed":${seed}`)
  const verified = async (number: bigint) => {
    const body = `{"body": {"prompt": {"1": {"inputs": {"seed": ${number}}}}}}`
    return (await subject.request('POST', '/_flowdouble/verify', body)).json()
  }
  expect(await verified(seed)).toMatchObject({ passed: true, count: 1 })
  expect(await verified(seed + 1n)).toMatchObject({
    passed: false,
    message: expect.stringContaining(`(expected ${seed + 1n}, received ${seed})`),
  })
})

proves(
  'control/requests-kept',
  async (subject) => {
    const emulator = subject.emulator!
    const submit = { method: 'POST', path: '/prompt' }
    emulator.fault({ when: { path: '/prompt', nth: 200 }, then: { delayMs: 1000 } })
    const ids: string[] = []
    for (let run = 1; run < 200; run++) {
      ids.push((await subject.submit(textToImage(run, 20))).json().prompt_id)
      await emulator.until('idle')
    }
    const [, last] = await Promise.all([
      emulator.received({ ...submit, times: 200 }),
      subject.submit(textToImage(200, 20)),
      emulator.received({ ...submit, times: 200 }).then(() => emulator.until('idle')),
    ])
    ids.push(last.json().prompt_id)
    // The journal has lost most of them.
    expect((await emulator.journal()).join('')).not.toContain(ids[0])
    expect(await emulator.verify({ ...submit, times: 200 })).toMatchObject({
      passed: true,
      count: 200,
      complete: true,
    })
    const requests = await emulator.requests(submit)
    expect(requests.map(({ run, status }) => [run, status])).toEqual(ids.map((id) => [id, 200]))
    expect(requests.map(({ entry }) => entry)).toEqual(
      requests.map(({ entry }) => entry).toSorted((a, b) => a - b),
    )
    const fork = await emulator.fork()
    expect(await fork.verify({ times: 0 })).toMatchObject({ passed: true, complete: true })
    await emulator.reset()
    expect(await emulator.verify({ times: 0 })).toMatchObject({ passed: true, complete: true })
  },
  { preview: 'none' },
)

proves('control/requests-kept', async (subject) => {
  const emulator = subject.emulator!
  const large = 'a'.repeat(3 * 2 ** 20)
  for (const name of ['one', 'two', 'three'])
    await subject.request('POST', `/userdata/${name}.json`, large)
  const isKept = async (name: string) => {
    const path = `/userdata/${name}.json`
    const { count, complete, message } = await emulator.verify({ path, times: 1 })
    return { count, complete, isSaid: message.includes('Earlier requests are no longer kept.') }
  }
  expect(await isKept('three')).toEqual({ count: 1, complete: false, isSaid: true })
  expect(await isKept('one')).toEqual({ count: 0, complete: false, isSaid: true })
  await emulator.reset()
  expect(await emulator.verify({ times: 0 })).toMatchObject({ passed: true, complete: true })
})

proves(
  'control/messages',
  async (subject) => {
    const emulator = subject.emulator!
    const session = await subject.connect('me')
    session.send('{"type": "feature_flags", "data": {"supports_preview_metadata": true}}')
    await session.settled()
    const { prompt_id } = await subject.run(session, textToImage(1, 4))
    const messages = await emulator.messages()
    expect(messages.filter(({ direction }) => direction === 'received')).toMatchObject([
      { type: 'feature_flags', data: { supports_preview_metadata: true }, run: null },
    ])
    const sent = messages.filter(({ direction }) => direction === 'sent')
    expect(sent.map(({ type, data }) => ({ type, data }))).toEqual(
      session.messages().map(({ type, data }) => ({ type, data })),
    )
    const progress = await subject.get(`/_flowdouble/messages?type=progress_state&run=${prompt_id}`)
    expect(progress.json()).toEqual(sent.filter(({ type }) => type === 'progress_state'))
    const frames = await emulator.frames()
    expect(frames.length).toBeGreaterThan(0)
    expect(frames).toHaveLength(session.frames().length)
    expect(frames[0]).toMatchObject({ frame: 'previewWithMetadata', fields: { format: 'jpeg' } })
    expect((await subject.get('/_flowdouble/frames?frame=text')).json()).toEqual([])
  },
  { preview: 'jpeg' },
)

proves('control/request-headers', async (subject) => {
  const emulator = subject.emulator!
  const sent = {
    'X-Foo': 'a',
    'X-Forwarded-Prefix': '/elsewhere',
    'User-Agent': 'a client/1',
    Authorization: 'Basic bWU6c2VjcmV0LW9mLW1l',
    Cookie: 'session=secret-of-cookie; theme=secret-of-theme',
    'X-Other-Api-Key': 'secret-of-another',
  }
  for (const path of ['/queue', '/queue', '/history'])
    await subject.request('GET', path, undefined, sent)
  const [first, second] = await emulator.requests({ path: '/queue' })
  expect(first?.headers).toEqual({
    ...second?.headers,
    'x-foo': 'a',
    'user-agent': 'a client/1',
    authorization: expect.stringMatching(/^Basic <[\w:]+>$/),
    cookie: expect.stringMatching(/^session=<[\w:]+>; theme=<[\w:]+>$/),
    'x-other-api-key': expect.stringMatching(/^<[\w:]+>$/),
  })
  expect(first?.headers).not.toHaveProperty('x-forwarded-prefix')
  const verify = async (headers: object) =>
    (await subject.post('/_flowdouble/verify', { path: '/queue', headers })).json()
  expect(await verify({ 'X-Foo': 'a', 'User-Agent': 'a client/1' })).toMatchObject({
    passed: true,
    count: 2,
  })
  expect(await verify({ 'x-foo': 'b' })).toMatchObject({ passed: false })
  const lines = await emulator.journal()
  const recording = await emulator.recording()
  for (const text of [lines.join('\n'), recording]) {
    expect(text).toContain('x-foo')
    expect(text).not.toMatch(/secret-of|bWU6/)
  }
  expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
})

proves('control/verify', async (subject) => {
  const emulator = subject.emulator!
  const verify = async (expected: unknown) => {
    const reply = await subject.post('/_flowdouble/verify', expected)
    return { status: reply.status, ...reply.json() }
  }
  await subject.submit(solid(1), { client_id: 'me' })
  await subject.submit(solid(2), { client_id: 'me' })
  await subject.get('/queue')
  const prompt = { method: 'POST', path: '/prompt' }
  expect(await verify({ ...prompt, body: { client_id: 'me' }, times: 2 })).toEqual({
    status: 200,
    passed: true,
    count: 2,
    matched: [0, 1].map((entry) => expect.objectContaining({ entry, status: 200 })),
    near: [],
    message: expect.stringMatching(
      /^Expected 2 POST \/prompt with the given body, received 2: entry 0 \(200\), entry 1 \(200\)\.$/,
    ),
    complete: true,
  })
  expect(await verify({ path: '/*', times: 3 })).toMatchObject({ passed: true, count: 3 })
  expect(await verify({ ...prompt, times: 1 })).toMatchObject({ passed: false, count: 2 })
  const body = { client_id: 'you', prompt: { '1': { inputs: { color: 2 } } } }
  const missed = await emulator.verify({ ...prompt, body })
  expect(missed).toMatchObject({ passed: false, count: 0 })
  const wrongClient = { at: 'body.client_id', expected: 'you', received: 'me' }
  expect(missed.near.map(({ differs }) => differs)).toEqual([
    [wrongClient],
    [wrongClient, { at: 'body.prompt.1.inputs.color', expected: 2, received: 1 }],
  ])
  expect(missed.near[0]?.request.body).toMatchObject({ prompt: body.prompt })
  for (const wrong of [{ pat: '/' }, { times: -1 }, { path: 5 }, [], null])
    expect((await verify(wrong)).status).toBe(400)
})

proves('control/near', async (subject) => {
  const emulator = subject.emulator!
  await subject.get('/queue')
  const headers = { Accept: 'text/plain' }
  const accepted = { method: 'GET', path: '/queue', headers }
  await subject.request('GET', '/queue', undefined, headers)
  expect(await emulator.verify({ ...accepted, headers: { aCCEPT: 'text/plain' } })).toMatchObject({
    passed: true,
    matched: [{ entry: 1, status: 200 }],
  })
  const missed = await emulator.verify({ ...accepted, headers: { ACCEPT: 'image/png' } })
  const differs = [{ at: 'headers.accept', expected: 'image/png', received: 'text/plain' }]
  expect(missed.near[0]).toMatchObject({ request: { entry: 1 }, differs })
  expect(missed.message).toMatch(
    /^Expected at least 1 GET \/queue with the given headers, received 0\. Closest: entry 1 \(200\) GET .*\/queue differs in headers\.accept \(expected "image\/png", received "text\/plain"\)\.$/,
  )
  const far = await emulator.verify({ method: 'POST', path: '/prompt' })
  expect(far).toMatchObject({ passed: false, near: [] })
  expect(far.message).toBe('Expected at least 1 POST /prompt, received 0.')
})

proves('control/runs', async (subject) => {
  const states = async () =>
    (await subject.get('/_flowdouble/runs')).json().map(({ state }: { state: string }) => state)
  for (const color of [1, 2, 3, 4]) await subject.submit(solid(color))
  expect(new Set(await states())).toEqual(new Set(['pending']))
  await subject.emulator!.until('started')
  // A hosted account runs several at a time.
  expect(await states()).toEqual(
    expect.arrayContaining(subject.deployment === 'local' ? ['running', 'pending'] : ['running']),
  )
  await subject.idle()
  expect(await states()).toEqual(['success', 'success', 'success', 'success'])
  await subject.submit(textToImage(1), {})
  await subject.emulator!.until('started')
  await subject.post('/interrupt', {})
  await subject.idle()
  expect(await states()).toEqual([...Array<string>(4).fill('success'), 'interrupted'])
})
