// Access to the hosted API v2: keys, tiers, other origins, and the form of its errors.

import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { detailOf, nobody, submitOne } from '../../judge/hosted/jobs.ts'
import { expectRefused, v2Of } from '../../judge/hosted/v2.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'

/** Requests to every path of the API, none of which changes anything. */
const asked: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/jobs'],
  ['POST', '/jobs'],
  ['GET', `/jobs/${nobody}`],
  ['GET', `/jobs/${nobody}/workflow`],
  ['GET', `/jobs/${nobody}/events`],
  ['POST', `/jobs/${nobody}/cancel`],
  ['POST', '/assets'],
  ['POST', '/assets/from-hash'],
  ['GET', `/assets/${nobody}`],
  ['DELETE', `/assets/${nobody}`],
  ['GET', `/assets/${nobody}/content`],
  ['GET', '/nowhere'],
]

proves('v2-access/bearer', async (subject) => {
  const { send } = await v2Of(subject)
  expectRefused(await send('GET', `/jobs/${nobody}`), 404, 'job_not_found')
  const other = { Authorization: `bearer ${subject.key}` }
  expectRefused(await send('GET', `/jobs/${nobody}`, undefined, other), 404, 'job_not_found')
})

proves('v2-access/bearer-refusal', async (subject) => {
  const { send } = await v2Of(subject)
  for (const Authorization of ['', 'Bearer', 'Bearer wrong-key', `Basic ${subject.key}`])
    for (const [method, path] of asked)
      expectRefused(await send(method, path, undefined, { Authorization }), 401, 'unauthorized')
})

proves('v2-access/header-key', async (subject) => {
  await v2Of(subject)
  const { raw, key } = subject
  const headers = { 'X-API-Key': key }
  for (const [method, path] of asked)
    expectRefused(await raw(method, `/api/v2${path}`, undefined, headers), 401, 'unauthorized')
})

proves('v2-access/free-tier', async (subject) => {
  await v2Of(subject)
  const { raw } = subject
  const headers = { Authorization: 'Bearer test-key-free' }
  for (const [method, path] of asked)
    expectRefused(await raw(method, `/api/v2${path}`, undefined, headers), 403, 'forbidden')
})

proves('v2-access/same-account', async (subject) => {
  const { job, run } = await v2Of(subject)
  const first = await submitOne(subject, talking('first'))
  expect(await job(first)).toMatchObject({ id: first })
  const { id } = await run(talking('second'))
  expect(await job(first)).toMatchObject({ status: 'succeeded' })
  expect((await detailOf(subject, id)).status).toBe('completed')
})

proves('v2-access/cors', async (subject) => {
  const { send } = await v2Of(subject)
  const allowed = (headers: Readonly<Record<string, string>>) =>
    headers['access-control-allow-headers']?.toLowerCase().split(/ *, */)
  const asked = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' }
  const preflight = await subject.raw('OPTIONS', '/api/v2/jobs', undefined, asked)
  expect(preflight.status).toBe(200)
  for (const { headers } of [preflight, await send('GET', '/jobs')]) {
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(allowed(headers)).toEqual(expect.arrayContaining(['authorization', 'idempotency-key']))
  }
})

proves('v2-access/errors', async (subject) => {
  const { send } = await v2Of(subject)
  const { message } = expectRefused(await send('POST', '/jobs', '{}'), 422, 'invalid_workflow')
  expect(message).not.toBe('')
  const unknown = await send('GET', `/assets/${nobody}`)
  expectRefused(unknown, 404, 'asset_not_found')
  expect(unknown.headers['content-type']).toMatch(/^application\/json/)
})

proves('v2-access/unknown-path', async (subject) => {
  const { send } = await v2Of(subject)
  for (const path of ['/nowhere', '/jobs/', `/jobs/${nobody}/x`, '/queue', '/models'])
    expectRefused(await send('GET', path), 404, 'not_found')
  const wrong = await send('GET', '/assets')
  expectRefused(wrong, 405, 'method_not_allowed')
  expect(wrong.headers).toMatchObject({ allow: 'POST' })
  const byHash = await send('GET', `/assets/by-hash/blake3:${'0'.repeat(64)}`)
  expect(byHash).toMatchObject({ status: 405, headers: { allow: 'HEAD' } })
  const patch = await send('PATCH', `/jobs/${nobody}`)
  expect(patch).toMatchObject({ status: 405, headers: { allow: 'GET,HEAD' } })
})

provesQuirk('hosted.no-v2', async ({ breaks, raw }) => {
  breaks('v2-jobs/listing', 'v2-streams/form')
  const headers = { 'X-API-Key': 'test-key', Authorization: 'Bearer test-key' }
  for (const path of ['/jobs', '/jobs/x/events', '/assets']) {
    const { status, json } = await raw('GET', `/api/v2${path}`, undefined, headers)
    expect([status, json().code]).toEqual([404, 'NOT_FOUND'])
  }
})

provesQuirk('hosted.v2-public-demo', async (subject) => {
  await v2Of(subject)
  const send = (method: string, path: string, body?: unknown) =>
    subject.raw(method, `/api/v2${path}`, body === undefined ? undefined : JSON.stringify(body))
  const submitted = await send('POST', '/jobs', { workflow: talking() })
  expect(submitted.status).toBe(201)
  const { id } = JSON.parse(submitted.text)
  expect((await send('GET', `/jobs/${id}`)).status).toBe(200)
  const labelled = { workflow: talking(), metadata: { a: 'b' } }
  expectRefused(await send('POST', '/jobs', labelled), 422, 'metadata_not_supported')
  expectRefused(await send('GET', '/jobs'), 403, 'public_deployment_no_list')
  expect((await subject.raw('GET', '/v2/models')).status).toBe(200)
  const wrong = { Authorization: 'Bearer wrong-key' }
  expectRefused(await subject.raw('GET', '/api/v2/jobs', undefined, wrong), 401, 'unauthorized')
})
