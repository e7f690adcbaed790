// What a request does to a server elsewhere: whom it concerns, what it makes, and what has to be allowed for it.

import { test } from 'vitest'
import { described } from '../../../spec/generations.ts'
import type { TargetOptions } from '../../../spec/check.ts'
import {
  deedOf,
  guardedRequest,
  isOwnPath,
  lackFor,
  savedBy,
  savesElsewhere,
} from '../../check/guard.ts'
import type { LedgerEntry } from '../../check/ledger.ts'
import { createPermissions } from '../../check/permissions.ts'
import { expect } from '../../judge/expect.ts'
import type { Outgoing } from '../../judge/traffic.ts'

const deed = (method: string, target: string, body: unknown = '') =>
  deedOf(guardedRequest(method, target, typeof body === 'string' ? body : JSON.stringify(body)))

test.each([
  ['GET', '/queue', ''],
  ['GET', '/history', ''],
  ['POST', '/prompt', { client_id: 'a' }],
  ['POST', '/prompt', '{'],
  ['POST', '/queue', { delete: [] }],
  ['GET', '/manager/queue/status', ''],
])('check/guard-harmless %s %s %j needs nothing and makes nothing.', (method, path, body) => {
  expect(deed(method, path, body)).toEqual({ changes: false, needs: [], runs: [] })
})

test.each([
  ['POST', '/queue', { clear: true }],
  ['POST', '/history', { clear: true }],
  ['POST', '/interrupt', ''],
  ['POST', '/interrupt', { prompt_id: '' }],
  ['POST', '/interrupt', '{'],
  ['POST', '/free', {}],
  ['POST', '//api/free?x=1', {}],
  ['post', '/%66ree', {}],
])('check/guard-global %s %s %j concerns the work of others.', (method, path, body) => {
  expect(deed(method, path, body)).toEqual({ changes: true, needs: ['global'], runs: [] })
})

test.each([
  ['POST', '/v2/models/acme/pic-1', { prompt: 'a' }],
  ['POST', '/v2/models/acme/pic-1/requests', '{'],
  ['POST', '/proxy/luma/generations', {}],
  ['POST', '/api/billing/topup', {}],
])('check/guard-paid %s %s %j costs money.', (method, path, body) => {
  expect(deed(method, path, body)).toEqual({ changes: true, needs: ['paid'], runs: [] })
})

test('check/guard-own What has an id that only its maker knows needs nothing.', () => {
  const free: readonly (readonly [method: string, path: string])[] = [
    ['POST', '/v2/models/acme/pic-1/estimate'],
    ['PUT', '/v2/models/acme/pic-1/requests/1/cancel'],
    ['DELETE', '/proxy/runway/tasks/1'],
    ['PATCH', '/api/workflows/1'],
  ]
  for (const [method, path] of free) expect(deed(method, path, {}).needs).toEqual([])
  expect(deed('POST', '/api/userdata/a.json/publish', {}).needs).toEqual(['global'])
})

test.each([
  ['POST', '/users', { username: 'x' }],
  ['POST', '/settings', {}],
  ['POST', '/settings/theme', '1'],
  ['POST', '/userdata/other.json', ''],
  ['DELETE', '/userdata/flowdouble-check%2F..%2Fother.json', ''],
  ['POST', '/userdata/flowdouble-check%2Fa/move/b', ''],
  ['DELETE', '/models/x', ''],
  ['GET', '/manager/reboot', ''],
  ['POST', '/v2/manager/queue/task', {}],
  ['POST', '/customnode/install', {}],
])('check/guard-destructive %s %s %j changes what stays.', (method, path, body) => {
  expect(deed(method, path, body).needs).toEqual(['destructive'])
})

const stopping = (...runs: readonly string[]) => ({ changes: true, needs: [], runs })

test('check/guard-runs A request that stops or deletes runs by their ids names them.', () => {
  expect(deed('POST', '/queue', { delete: ['a', 7, 'b'] })).toMatchObject(stopping('a', 'b'))
  expect(deed('POST', '/interrupt', { prompt_id: 'a' })).toMatchObject(stopping('a'))
  expect(deed('POST', '/api/jobs/a/cancel')).toMatchObject(stopping('a'))
})

test('check/guard-submit A submit has its graph, and the id that it asks for.', () => {
  const prompt = { 1: { class_type: 'KSampler' } }
  expect(deed('POST', '/prompt', { prompt, prompt_id: 'a' }).submits).toEqual({
    graph: prompt,
    prompt_id: 'a',
  })
  expect(deed('POST', '/api/prompt', { prompt, prompt_id: 7 }).submits).toEqual({ graph: prompt })
})

test('check/guard-upload An upload belongs into the folder of check.', () => {
  const form = (name: string, subfolder: string): string =>
    [
      '--x\r\nContent-Disposition: form-data; name="image"; filename="',
      `${name}"\r\nContent-Type: image/png\r\n\r\nbytes\r\n`,
      `--x\r\nContent-Disposition: form-data; name="subfolder"\r\n\r\n${subfolder}\r\n--x--`,
    ].join('')
  expect(deed('POST', '/upload/image', form('grün.png', 'flowdouble-check'))).toEqual({
    changes: true,
    needs: [],
    runs: [],
    makes: [{ kind: 'upload', name: 'flowdouble-check/grün.png' }],
  })
  expect(deed('POST', '/upload/image', form('a.png', ''))).toMatchObject({
    needs: ['destructive'],
    makes: [{ name: 'a.png' }],
  })
  expect(deed('POST', '/upload/image', 'no form').changes).toBe(false)
  const typed = (type: string): string =>
    form('a.png', 'flowdouble-check').replace(
      /--x--$/,
      `--x\r\nContent-Disposition: form-data; name="type"\r\n\r\n${type}\r\n--x--`,
    )
  expect(deed('POST', '/upload/image', typed('output')).makes).toHaveLength(1)
  // A server empties its temporary folder when it starts.
  expect(deed('POST', '/upload/image', typed('temp'))).toMatchObject({ needs: [], makes: [] })
})

test('check/guard-userdata Files in the folder of check are written without permission, and kept.', () => {
  expect(deed('POST', '/userdata/flowdouble-check%2Fa.json')).toEqual({
    changes: true,
    needs: [],
    runs: [],
    writes: ['flowdouble-check/a.json'],
  })
  const moved = deed('POST', '/userdata/flowdouble-check%2Fa/move/flowdouble-check%2Fb')
  expect(moved).toMatchObject({ needs: [], writes: ['flowdouble-check/a', 'flowdouble-check/b'] })
  // What leads out of the folder of the user, or names a folder, is refused: there is nothing to put back.
  expect(deed('POST', '/userdata/flowdouble-check%2Fa%2F.')).toMatchObject({
    needs: [],
    writes: [],
  })
  expect(deed('POST', '/userdata/..%2Fx')).toMatchObject({ needs: ['destructive'], writes: [] })
})

test.each([
  ['flowdouble-check/a', true],
  ['flowdouble-check/b/../a', true],
  ['flowdouble-check', false],
  ['flowdouble-checked/a', false],
  ['flowdouble-check/../a', false],
  ['flowdouble-check%2F..%2Fa', false],
  ['flowdouble-check%252F..%252Fa', false],
  ['/flowdouble-check/a', false],
])('check/guard-path %s is in the folder of check: %j', (path, isOwn) => {
  expect(isOwnPath(path)).toBe(isOwn)
})

const savers = {
  SaveImage: { input: { required: { images: [], filename_prefix: [] } } },
  SaveLoss: { input: { optional: { filename_prefix: [] } } },
  PreviewImage: { input: { required: { images: [] } } },
}

test.each([
  ['SaveImage', 'flowdouble-check/a', false],
  ['SaveImage', 'a', true],
  ['SaveImage', 'flowdouble-check', true],
  ['SaveImage', 'flowdouble-check/../a', true],
  ['SaveImage', ['1', 0], true],
  ['SaveImage', 5, true],
  ['SaveLoss', undefined, true],
  ['SaveLoss', 'flowdouble-check/a', false],
  // What lacks a required input is refused, and what no server may save has our name.
  ['SaveImage', undefined, false],
  ['SaveImage', '../flowdouble-check', false],
  ['SaveImage', '../a', true],
  ['PreviewImage', 'a', false],
  ['NoSuchNode', 'a', false],
])('check/guard-saves A node %s that saves at %j: elsewhere? %s.', (class_type, prefix, saves) => {
  const graph = { 2: { class_type, inputs: { filename_prefix: prefix } } }
  expect(savesElsewhere(graph, savers)).toBe(saves)
  const isKept = class_type !== 'NoSuchNode' && String(prefix).startsWith('flowdouble-check/a')
  expect(savedBy(graph, savers)).toEqual(isKept ? ['saved flowdouble-check/a'] : [])
})

test('check/guard-lack A graph lacks node types that the server does not list, but none that no server has.', () => {
  const graph = (class_type: string, inputs = {}) => ({ 1: { class_type, inputs } })
  expect(lackFor(graph('KSampler'), {})).toBe('The server does not list the node type KSampler.')
  expect(lackFor(graph('KSampler'), { KSampler: {} })).toBeUndefined()
  expect(lackFor(graph('NoSuchNode'), {})).toBeUndefined()
  const model = graph('CheckpointLoaderSimple', { ckpt_name: 'sd_xl_base_1.0.safetensors' })
  expect(lackFor(model, { CheckpointLoaderSimple: {} })).toMatch(/does not list the model sd_xl/)
  const known = { CheckpointLoaderSimple: { input: ['sd_xl_base_1.0.safetensors'] } }
  expect(lackFor(model, known)).toBeUndefined()
  expect([lackFor(null, {}), lackFor('graph', {}), lackFor({ 1: null }, {})]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

/** Permissions for a server that lists one node type, and the requests to it. */
function permissionsFor(more: Partial<TargetOptions> = {}) {
  const url = 'http://gpu:8188'
  const target = {
    url,
    deployment: 'local',
    generation: described,
    apis: null,
    types: { PreviewAny: {} },
    software: null,
    library: null,
  } as const
  const options = { url, headers: {}, allow: [], isReadOnly: false, maxRuns: 2, ...more }
  const made: LedgerEntry[] = []
  const ledger = { file: '', add: (one: LedgerEntry) => void made.push(one), entries: () => made }
  const permissions = createPermissions(
    target,
    options,
    { ...ledger, problem: () => undefined, discard: () => undefined },
    () => undefined,
  )
  const request = (path: string, body: unknown): Outgoing => {
    return { url, method: 'POST', path, headers: {}, body: JSON.stringify(body) }
  }
  return { ...permissions, request, made }
}

const prompt = { 1: { class_type: 'PreviewAny' } }

test('check/permissions-runs Submits count as runs unless they are refused, and runs are written down.', async () => {
  const { guard, take, runs, isOwn, request, made } = permissionsFor()
  const refused = request('/prompt', { prompt })
  await guard(refused, true)
  expect(runs()).toBe(1)
  take(refused, 400, '{"error":{}}')
  expect(runs()).toBe(0)
  const submit = request('/prompt', { prompt })
  await guard(submit, true)
  take(submit, 200, '{"prompt_id": "a"}')
  const odd = request('/prompt', 7)
  await guard(odd, true)
  take(odd, 200, '{"prompt_id": "b"}')
  expect({ runs: runs(), own: ['a', 'b', 'c'].map(isOwn) }).toEqual({
    runs: 2,
    own: [true, true, false],
  })
  expect(made).toEqual([
    { kind: 'run', name: 'a' },
    { kind: 'run', name: 'b' },
  ])
  await expect(guard(request('/prompt', { prompt }), true)).rejects.toMatchObject({
    reason: 'budget',
  })
})

test('check/permissions-refused What is not allowed is a skip, before anything is written down.', async () => {
  const usual = permissionsFor()
  const { request, made } = usual
  const readOnly = permissionsFor({ isReadOnly: true })
  const reasonFor = ({ guard }: typeof readOnly, path: string, body: unknown) =>
    guard(request(path, body), true).then(
      () => undefined,
      ({ reason }: { readonly reason: string }) => reason,
    )
  expect([
    await reasonFor(usual, '/free', {}),
    await reasonFor(usual, '/users', { username: 'x' }),
    await reasonFor(usual, '/prompt', { prompt: { 1: { class_type: 'Other' } } }),
    await reasonFor(usual, '/prompt', { prompt: { 1: { class_type: 'FlowdoubleX' } } }),
    await reasonFor(readOnly, '/prompt', { prompt }),
    await reasonFor(readOnly, '/userdata/flowdouble-check%2Fa', ''),
  ]).toEqual(['not-allowed', 'not-allowed', 'missing', 'own-world', 'not-allowed', 'not-allowed'])
  expect([...made, ...readOnly.made]).toEqual([])
})
