// The verdict on a broken rule, the library that decides some, and the named server that a server resembles.

import { createServer, request } from 'node:http'
import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import held from '../../check/held.json' with { type: 'json' }
import { rules } from '../../../spec/index.ts'
import { expect } from '../../judge/expect.ts'
import { frontOf } from '../../check/probe/probe.ts'
import { releaseOf, judgementOf } from '../../check/judgement.ts'
import { nearestOf, type SeenCase } from '../../check/shown-quirks.ts'
import { forTest, listening } from '../../support/for-test.ts'

const local = { place: 'local', release: 'ComfyUI 0.3.64' } as const
const hosted = { place: 'hosted', release: 'published hosted API, 2026' } as const
const broken = new Error('expected 1 to be 2')
const seen = (id: string, verdict: SeenCase['verdict']): SeenCase => ({ rules: [{ id }], verdict })
const verdictOn = (...ids: readonly string[]) => judgementOf({ ids }, broken, local).verdict

test('a broken rule fails if it is stated, or was observed at this generation; a chosen one is a note', () => {
  expect([
    verdictOn('queue/item'),
    verdictOn('history/oldest-first'),
    verdictOn('userdata/bounds'),
    verdictOn('userdata/bounds', 'queue/item'),
  ]).toEqual(['fail', 'fail', 'note', 'fail'])
})

test('a rule that was observed at another generation is a note that names both', () => {
  const later = { ...local, release: releaseOf('local', 'v0.3.6') }
  expect(judgementOf({ ids: ['history/oldest-first'] }, broken, later)).toEqual({
    verdict: 'note',
    detail: 'It was observed at ComfyUI 0.3.64, history; this server is ComfyUI 0.3.6.',
  })
})

test('a rule of a release that was held against all of them is judged there, except for those that it does not keep', () => {
  const at = (release: string) =>
    judgementOf({ ids: ['history/oldest-first'] }, broken, { ...local, release }).verdict
  expect([at('ComfyUI 0.27.0'), at('ComfyUI 0.33.0'), at('ComfyUI 0.27.9')]).toEqual([
    'fail',
    'fail',
    'note',
  ])
  expect(
    Object.values<readonly string[]>(held)
      .flat()
      .filter((id) => !(id in rules)),
  ).toEqual([])
})

test('a rule about what the HTTP library decides is a note at a server with another library', () => {
  const at = (library?: string) =>
    judgementOf(
      { ids: ['http/fragment'] },
      broken,
      library === undefined ? local : { ...local, library },
    )
  expect([
    at('Python/3.12 aiohttp/3.13.1').verdict,
    at('Python/3.11 aiohttp/3.130.5').verdict,
    at('nginx/1.22').verdict,
    at().verdict,
  ]).toEqual(['fail', 'note', 'note', 'note'])
  expect(at('Python/3.11 aiohttp/3.14.5').detail).toBe(
    'A library decides it: it was observed with aiohttp/3.13; this server says "Python/3.11 aiohttp/3.14.5".',
  )
})

test('a rule that any version of a library decides is a note behind a proxy alone', () => {
  const at = (library: string | null) =>
    judgementOf({ ids: ['http/expectation'] }, broken, { ...local, library }).verdict
  expect([
    at('Python/3.11 aiohttp/3.14.5'),
    at('aiohttp'),
    at('aiohttpd/1'),
    at('nginx/1.22'),
    at(null),
  ]).toEqual(['fail', 'fail', 'note', 'note', 'note'])
})

test('the library is that of a proxy, whose replies name the server behind it.', async () => {
  const emulator = await forTest(startEmulator({ like: 'comfyui-0.3.64' }))
  const proxy = createServer((incoming, response) => {
    const { method, url = '/', headers } = incoming
    const outgoing = request(emulator.url + url, { method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    incoming.pipe(outgoing)
  })
  const { url } = await listening(proxy)
  const { signal } = new AbortController()
  const reply = await fetch(`${url}/system_stats`)
  expect(reply.headers.get('server')).toBe('Python/3.12 aiohttp/3.13.1')
  expect(await frontOf(emulator.url, signal)).toBe('Python/3.12 aiohttp/3.13.1')
  expect(await frontOf(url, signal)).toBeNull()
  expect(await frontOf('http://127.0.0.1:1', signal)).toBeNull()
})

test('a stated rule that a quirk breaks fails and names the quirk, unless the operator accepts it', () => {
  const one = { ids: ['history/error-comes-first'] }
  const quirk = 'history.completed-on-error'
  const detail = `The quirk ${quirk} would explain it: It has \`completed\` true beside the \`status_str\` "error".`
  expect(judgementOf(one, broken, local)).toEqual({
    verdict: 'fail',
    quirk,
    detail: `${detail} --accept ${quirk} makes it a note.`,
  })
  const accepted = { verdict: 'note', quirk, detail }
  expect(judgementOf(one, broken, { ...local, accept: [quirk] })).toEqual(accepted)
})

test('the quirks of a named server are accepted, and no others', () => {
  const like = { ...local, like: 'comfyui-0.3.64' }
  const verdicts = ['files/local-videos', 'history/error-comes-first'].map(
    (id) => judgementOf({ ids: [id] }, broken, like).verdict,
  )
  expect(verdicts).toEqual(['note', 'fail'])
})

test('an error in the code of the judge is a fault; a reply of another form breaks the rule', () => {
  const verdicts = [
    new ReferenceError('x is not defined'),
    Object.assign(new Error('no such file'), { code: 'ENOENT' }),
    new TypeError('Cannot read properties of undefined'),
    new SyntaxError('Unexpected end of JSON input'),
  ].map((error) => judgementOf({ ids: ['queue/item'] }, error, local).verdict)
  expect(verdicts).toEqual(['fault', 'fault', 'fail', 'fail'])
})

test('of several quirks, the one is named that fits to the other cases', () => {
  const one = { ids: ['history/hosted-two-ways'] }
  const quirkAfter = (...cases: readonly SeenCase[]) =>
    judgementOf(one, broken, hosted, cases).quirk
  expect(quirkAfter(seen('jobs/status-final', 'fail'))).toBe('hosted.python-exception-names')
  expect(quirkAfter(seen('jobs/status-final', 'pass'), seen('history/hosted-list', 'fail'))).toBe(
    'hosted.history-as-map',
  )
})

/** Two rules that a quirk breaks, which a server keeps. */
const kept = ['jobs/listing', 'jobs/status-final'].map((id) => seen(id, 'pass'))

test('a case shows as much of a quirk as it proves rules that the quirk breaks', () => {
  const quirkOf = (...ids: readonly string[]) => judgementOf({ ids }, broken, hosted, kept).quirk
  expect(quirkOf('jobs/detail-error', 'jobs/status-details')).toBe('hosted.python-exception-names')
  expect(quirkOf('jobs/detail-error')).toBe(undefined)
})

test('a quirk that other cases contradict explains nothing, unless it is accepted', () => {
  const one = { ids: ['jobs/detail-error'] }
  const quirk = 'hosted.python-exception-names'
  expect(judgementOf(one, broken, hosted, kept).quirk).toBe(undefined)
  expect(judgementOf(one, broken, { ...hosted, accept: [quirk] }, kept)).toMatchObject({
    verdict: 'note',
    quirk,
  })
})

test('a default that an option of a named server changes is a note that names both', () => {
  const { verdict, detail } = judgementOf({ ids: ['messages/uncompressed'] }, broken, local)
  expect({ verdict, detail }).toEqual({
    verdict: 'note',
    detail:
      'Neither the description nor real servers settle it; comfyui-0.3.64 has the option wsCompress at true.',
  })
})

test('the nearest named server has most of the quirks that are shown; a server without quirks resembles no other', () => {
  const shown = [seen('files/local-videos', 'fail'), seen('queue/by-number', 'fail')]
  expect(nearestOf({ place: 'local' }, shown)).toEqual({ like: 'comfyui-0.3.64', differs: [] })
  expect(nearestOf({ place: 'local' }, [...shown, seen('messages/newest-socket', 'pass')])).toEqual(
    {
      like: 'comfyui-0.3.64',
      differs: ['local.zombie-socket'],
    },
  )
  expect(nearestOf({ place: 'local' }, [seen('files/local-videos', 'pass')])).toBe(undefined)
  const missed = 'local.queue-shows-partner-key'
  const later = { place: 'local', generation: '0.27' } as const
  const broken = [...shown, seen('access/partner-key-hidden', 'note')]
  expect(nearestOf(later, broken)?.differs).toEqual([missed])
  expect(nearestOf(later, broken, new Set([missed]))?.differs).toEqual([])
})
