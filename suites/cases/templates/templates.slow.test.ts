// Templates: rendering the prompt of a route.

import { limits } from '../../../spec/limits.ts'
import { direct, SECRET } from '../../judge/gateway-subject.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import {
  CHECK_TEXT,
  container,
  delivers,
  indented,
  makeDirect,
  makeRuns,
  postTo,
} from '../../judge/posts.ts'

proves('templates/reference', async (subject) => {
  await delivers(subject, 'PR #{number}: {pull_request.title} by {user.login}', [
    [
      { number: 7, pull_request: { title: 'Add gateway' }, user: { login: 'ann' } },
      'PR #7: Add gateway by ann',
    ],
  ])
  await delivers(subject, '{A_1}{a.b.c}', [[{ A_1: 'x', a: { b: { c: 'deep' } } }, 'xdeep']])
  await delivers(subject, 'no reference', [[{}, 'no reference']])
})

proves('templates/characters', async (subject) => {
  const payload = { a: 1, 'a-b': 2, 'a b': 3, ü: 4, '': 5 }
  const literal = [
    '{a-b}',
    '{a b}',
    '{ü}',
    '{}',
    '{ a}',
    '{a',
    'a}',
    '{a|b}',
    '{a[0]}',
    '\\n',
    '%s',
    '{{% a %}',
  ]
  for (const text of literal) await delivers(subject, text, [[payload, text]])
  await delivers(subject, '{{a}} ${a} \\{a}', [[payload, '{1} $1 \\1']])
  await delivers(subject, "$& $1 $' {a}", [[payload, "$& $1 $' 1"]])
})

proves('templates/one-pass', async (subject) => {
  await delivers(subject, '{a}{b}', [
    [{ a: '{b}', b: '{a}' }, '{b}{a}'],
    [{ a: '{', b: 'a}' }, '{a}'],
  ])
  await delivers(subject, '{{a}}', [[{ a: 'b', b: 'no' }, '{b}']])
  await delivers(subject, '{a}', [[{ a: '$& {a}' }, '$& {a}']])
})

proves('templates/missing', async (subject) => {
  await delivers(subject, '{no}, {a.no}, {a.b.c}', [
    [{ a: { b: 1 } }, '{no}, {a.no}, {a.b.c}'],
    [{ no: '', a: { no: null, b: { c: 0 } } }, ', None, 0'],
  ])
})

proves('templates/through-objects', async (subject) => {
  await delivers(subject, '{a.0}', [
    [{ a: ['x'] }, '{a.0}'],
    [{ a: { '0': 'x' } }, 'x'],
    [{ a: 'xyz' }, '{a.0}'],
    [{ 'a.0': 'x' }, '{a.0}'],
  ])
  await delivers(subject, '{a.length}{a.}{.a}{a..b}{.}', [
    [{ a: 'xyz' }, '{a.length}{a.}{.a}{a..b}{.}'],
    [{ a: { '': { b: 1 } }, '': { a: 2, '': 3 } }, '{a.length}{\n  "b": 1\n}213'],
  ])
})

proves('templates/raw', async (subject) => {
  await delivers(subject, '<{__raw__}>', [
    [container, `<${indented}>`],
    [{}, '<{}>'],
    [{ __raw__: 1 }, '<{\n  "__raw__": 1\n}>'],
  ])
  await delivers(subject, '{a.__raw__}', [[{ a: { __raw__: 1 } }, '1']])
})

proves('templates/event-type', async (subject) => {
  await delivers(subject, '{event_type} {type}', [
    [{ event_type: 'a', type: 'b' }, 'a b'],
    [{ event_type: '', type: 'b' }, 'b b'],
    [{}, 'unknown {type}'],
    [{ event_type: 5 }, '5 {type}'],
  ])
  const to = await makeDirect(subject, '{event_type} {type}')
  await postTo(subject, to, { event_type: 'a', type: 'b' }, { 'X-GitHub-Event': 'push' })
  const entries = await subject.sender.control.deliveries(to, 1)
  expect(entries.map(({ text }) => text)).toEqual(['push b'])
})

proves('templates/default', async (subject) => {
  const { control } = subject.sender
  const ci = await control.make({})
  const empty = await makeRuns(subject, '')
  await postTo(subject, ci, { ref: CHECK_TEXT }, { 'X-GitHub-Event': 'push' })
  await postTo(subject, empty, container)
  const promptOf = async (to: typeof ci) => (await control.runs(to)).map(({ prompt }) => prompt)
  expect(await promptOf(ci)).toEqual([
    `Webhook event 'push' on route '${ci.route}':\n\n\`\`\`json\n{\n  "ref": "${CHECK_TEXT}"\n}\n\`\`\``,
  ])
  expect(await promptOf(empty)).toEqual([
    `Webhook event 'unknown' on route '${empty.route}':\n\n\`\`\`json\n${indented}\n\`\`\``,
  ])
})

const long = { a: Array.from({ length: 3000 }, (_, at) => at) }
const longText = JSON.stringify(long, null, 2)

proves('templates/uncut', async (subject) => {
  const to = await makeDirect(subject, '')
  await postTo(subject, to, long)
  const [unnamed] = await subject.sender.control.deliveries(to, 1)
  const head = `Webhook event 'unknown' on route '${to.route}':`
  expect(unnamed?.text).toBe(`${head}\n\n\`\`\`json\n${longText}\n\`\`\``)
  // No length is special: a text can be longer than the body of its post.
  const part = 'a☃'.repeat(100_000)
  await delivers(subject, '{a} {a} {a}{b}', [
    [{ a: part, b: '.' }, `${part} ${part} ${part}.`],
    [
      { a: `${part}é`, b: 'x'.repeat(500_000) },
      `${`${part}é `.repeat(3).trim()}${'x'.repeat(500_000)}`,
    ],
  ])
  await delivers(subject, '{__raw__}', [[long, longText]])
  await delivers(subject, '{a}', [[long, JSON.stringify(long.a, null, 2)]])
})

proves(
  'templates/too-long',
  async ({ gateway, post, texts, idle }) => {
    const limit = limits.renderedText.value
    const payload = { a: 'x'.repeat(limit / 16), u: 'ü'.repeat(limit / 32), b: '', c: 'x' }
    gateway.subscribe('note', direct('{a}'.repeat(16)))
    expect((await post('note', payload)).status).toBe(200)
    expect(texts()[0]).toHaveLength(limit)
    for (const template of [
      `${'{a}'.repeat(16)}{c}`,
      `${'{u}'.repeat(16)}x`,
      '{__raw__}'.repeat(17),
    ]) {
      gateway.subscribe('note', direct(template))
      const reply = await post('note', payload)
      expect({ status: reply.status, json: reply.json() }).toEqual({
        status: 413,
        json: { error: 'Rendered text too large' },
      })
    }
    gateway.subscribe('note', direct('x', { deliver_extra: { chat_id: '{a}'.repeat(17) } }))
    expect((await post('note', payload)).status).toBe(413)
    // Indenting alone makes a small body large.
    const deep = `{"a": ${'['.repeat(990)}${'0,'.repeat(100_000)}0${']'.repeat(990)}}`
    gateway.subscribe('run', { secret: SECRET })
    expect((await post('run', deep)).status).toBe(413)
    await idle()
    expect([texts().length, gateway.runs()]).toEqual([1, []])
  },
  { routes: {}, maxBodyBytes: 8 * 2 ** 20 },
)

proves('templates/extra', async (subject) => {
  const { control } = subject.sender
  const extra = {
    chat_id: '{chat}',
    empty: '',
    literal: '{no}',
    number: 5,
    list: ['{chat}'],
    inner: { chat: '{chat}' },
    no: null,
  }
  const to = await makeDirect(subject, 'x', { deliver_extra: extra })
  await postTo(subject, to, { chat: 17 })
  const [entry] = await control.deliveries(to, 1)
  expect(entry?.deliver_extra).toEqual({ ...extra, chat_id: '17' })
  expect(entry?.chat_id).toBe('17')
  const none = await makeDirect(subject, 'x', { deliver_extra: { chat_id: '' } })
  await postTo(subject, none, {})
  expect((await control.deliveries(none, 1))[0]?.deliver_extra).toEqual({ chat_id: '' })
})

proves('templates/inert', async (subject) => {
  for (const name of [
    'constructor',
    '__proto__',
    'toString',
    'a.constructor',
    'a.__proto__.b',
    'size',
  ]) {
    await delivers(subject, `{${name}}`, [[{ a: {} }, `{${name}}`]])
  }
  await delivers(subject, '{__proto__} {constructor.name}', [
    ['{"__proto__": 1, "constructor": {"name": 2}}', '1 2'],
  ])
  for (const text of ['${1+1}', '{{7*7}}', '<%= 1 %>', '{0}', '`id`', '{a.b()}']) {
    await delivers(subject, text, [[{}, text]])
  }
})

provesQuirk('webhooks.cut-prompt', async (subject) => {
  const to = await makeDirect(subject, '')
  await postTo(subject, to, long)
  const head = `Webhook event 'unknown' on route '${to.route}':\n\n\`\`\`json\n`
  expect(subject.texts()).toEqual([`${head}${longText.slice(0, 4000)}\n\`\`\``])
  await delivers(subject, '{__raw__}', [[long, longText.slice(0, 4000)]])
  const text = JSON.stringify(long.a, null, 2)
  await delivers(subject, '{a}', [
    [long, text.slice(0, 2000)],
    [{ a: text }, text],
  ])
})
