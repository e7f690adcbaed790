// Changes of routes while a gateway runs: a file that changes, and what stays in memory.

import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway } from 'flowdouble'
import { direct, type GatewaySubject, SECRET } from '../../judge/gateway-subject.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'

/** A gateway with a subscriptions file that does not exist yet. */
const onFile = (more = {}) => ({
  routes: { static: { secret: SECRET, prompt: 'static' } },
  subscriptionsFile: join(folder(), 'subscriptions.json'),
  ...more,
})
const fileOf = ({ gateway }: GatewaySubject): string => gateway.options.subscriptionsFile as string

/** Writes the file, dated to this second of its time. */
function write(subject: GatewaySubject, second: number, routes: unknown): void {
  const text = typeof routes === 'string' ? routes : JSON.stringify(routes)
  writeFileSync(fileOf(subject), text)
  utimesSync(fileOf(subject), second, second)
}

/** Which of the routes a, b, c exist. */
async function names({ send }: GatewaySubject): Promise<string> {
  let found = ''
  for (const name of ['a', 'b', 'c']) {
    if ((await send('POST', `/webhooks/${name}`)).status !== 404) found += name
  }
  return found
}

const route = { secret: SECRET }

proves(
  'subscriptions/reload-many',
  async (subject) => {
    // Long enough that it is not read as a whole.
    const prompt = '{a}'.padEnd(5000)
    const names = Array.from({ length: 21 }, (_, at) => `route-${at}`)
    const routes = Object.fromEntries(names.map((name) => [name, { ...route, prompt }]))
    const found = async (name: string): Promise<unknown> => {
      const { status } = await subject.post(name, { a: 'it' })
      return status === 202 ? subject.gateway.runs().at(-1)?.prompt.trimEnd() : status
    }
    write(subject, 1, routes)
    expect(await found('route-7')).toBe('it')
    write(subject, 2, { ...routes, 'route-7': { ...route, prompt: 'now {a}' } })
    expect([await found('route-6'), await found('route-7')]).toEqual(['it', 'now it'])
    const { 'route-3': _, ...others } = routes
    write(subject, 3, others)
    expect([await found('route-3'), await found('route-20')]).toEqual([404, 'it'])
    const lines = subject.logs.flatMap(({ text }) => (text.startsWith('Subsc') ? text : []))
    expect(lines).toEqual([
      'Subscriptions loaded: 21 routes.',
      'Subscriptions loaded: 21 routes.',
      `Subscriptions loaded: ${names.toSpliced(3, 1).join(', ')}.`,
    ])
  },
  onFile(),
)

/** How often the gateway of the next case has read its file. */
let loads = 0

proves(
  ['subscriptions/reload', 'subscriptions/reload-on-change'],
  async (subject) => {
    loads = 0
    rmSync(fileOf(subject), { force: true })
    expect(await names(subject)).toBe('')
    write(subject, 1000, { a: route })
    expect(await names(subject)).toBe('a')
    expect(loads).toBe(1)
    write(subject, 2000, { b: route, c: route })
    expect(await names(subject)).toBe('bc')
    // An older one counts as well.
    write(subject, 500, { c: route })
    expect(await names(subject)).toBe('c')
    expect(statSync(fileOf(subject)).mtimeMs).toBe(500_000)
    expect(loads).toBe(3)
  },
  onFile({
    onEntry: ({ input }: { input: { kind: string } }) => void (input.kind === 'file' && loads++),
  }),
)

proves(
  ['subscriptions/reload', 'templates/characters'],
  async (subject) => {
    const prompt = 'a\r\nb\rc\n{text}'
    const text = JSON.stringify({ a: { ...route, prompt } }, null, 2)
    for (const [at, end] of ['\n', '\r\n', '\r'].entries()) {
      writeFileSync(fileOf(subject), text.replaceAll('\n', end))
      utimesSync(fileOf(subject), at + 1, at + 1)
      expect((await subject.post('a', { text: 'd\r\ne' })).status).toBe(202)
      expect(subject.gateway.runs().at(-1)?.prompt).toBe('a\r\nb\rc\nd\r\ne')
    }
  },
  onFile(),
)

proves(
  'subscriptions/reload-missing',
  async (subject) => {
    write(subject, 1000, { a: route })
    expect(await names(subject)).toBe('a')
    rmSync(fileOf(subject))
    expect(await names(subject)).toBe('')
    expect((await subject.post('static', {})).status).toBe(202)
    write(subject, 1000, { a: route })
    expect(await names(subject)).toBe('a')
  },
  onFile(),
)

proves(
  ['subscriptions/log-missing', 'subscriptions/log-corrupt'],
  async (subject) => {
    const { logs } = subject
    write(subject, 500, '[]')
    expect(await names(subject)).toBe('')
    for (const routes of [{ a: route, b: route }, { a: route }]) {
      write(subject, 1000, routes)
      expect(await names(subject)).toBe(Object.keys(routes).join(''))
      rmSync(fileOf(subject))
      expect(await names(subject)).toBe('')
    }
    write(subject, 2000, { a: route })
    expect(await names(subject)).toBe('a')
    write(subject, 3000, '{')
    expect(await names(subject)).toBe('a')
    const about = logs.filter(({ kind, text }) => kind === 'gateway' && text.includes(' file '))
    expect(about.map(({ level, text }) => [level, text])).toEqual([
      [
        'error',
        'The subscriptions file is not a JSON object of objects: no routes are served from it.',
      ],
      ['warning', 'The subscriptions file is gone: 2 routes are no longer served.'],
      ['warning', 'The subscriptions file is gone: 1 route is no longer served.'],
      [
        'error',
        'The subscriptions file is not a JSON object of objects: keeping the previous routes.',
      ],
    ])
  },
  onFile(),
)

proves(
  'subscriptions/reload-corrupt',
  async (subject) => {
    const logged: string[] = []
    write(subject, 1000, { a: route })
    expect(await names(subject)).toBe('a')
    for (const [at, text] of ['{', '[]', '5', '', '{"b": 5}', '{"b": null}'].entries()) {
      write(subject, 2000 + at, text)
      expect([text, await names(subject)]).toEqual([text, 'a'])
    }
    const latin1 = Buffer.from(JSON.stringify({ b: { ...route, prompt: 'é' } }), 'latin1')
    writeFileSync(fileOf(subject), latin1)
    expect(await names(subject)).toBe('a')
    for (const line of await subject.gateway.journal()) {
      const effects: { kind: string; level: string }[] = JSON.parse(line).effects ?? []
      logged.push(...effects.flatMap(({ kind, level }) => (kind === 'log' ? level : [])))
    }
    expect(logged.filter((level) => level === 'error')).toHaveLength(7)
    write(subject, 3000, `\uFEFF${JSON.stringify({ b: route })}`)
    expect(await names(subject)).toBe('b')
    // Unreadable files: a folder, and a path that leads through a file.
    rmSync(fileOf(subject))
    mkdirSync(fileOf(subject))
    expect(await names(subject)).toBe('b')
    rmSync(fileOf(subject), { recursive: true })
    // A pipe into which nobody writes never ends, and is not a file either.
    execFileSync('mkfifo', [fileOf(subject)])
    expect(await names(subject)).toBe('b')
    rmSync(fileOf(subject))
    write(subject, 4000, { a: route })
    expect(await names(subject)).toBe('a')
    const through = join(fileOf(subject), 'none.json')
    const other = await startGateway({ port: 0, subscriptionsFile: through })
    expect((await fetch(`${other.url}/health`)).status).toBe(200)
    await other.close()
  },
  onFile(),
)

proves(
  'subscriptions/events-are-texts',
  async (subject) => {
    const wrong: readonly unknown[] = [{ a: 1 }, 5, true, [1], ['push', null]]
    for (const [index, events] of wrong.entries()) {
      write(subject, 1000 * (index + 1), { a: direct('x', { events }), b: route })
      expect([events, await names(subject)]).toEqual([events, 'b'])
    }
    for (const [index, events] of [null, 'push', ['push'], []].entries()) {
      write(subject, 10_000 + 1000 * index, { a: direct('x', { events }), b: route })
      expect([events, await names(subject)]).toEqual([events, 'ab'])
    }
    const routes = JSON.parse('{"fixed": {"secret": "s", "events": {"a": 1}}}')
    await expect(startGateway({ port: 0, routes })).rejects.toThrow(/events/)
  },
  onFile(),
)

proves(
  'subscriptions/in-memory',
  async (subject) => {
    const { gateway, post, texts } = subject
    expect(await names(subject)).toBe('a')
    gateway.subscribe('b', direct('b is {b}'))
    expect(await names(subject)).toBe('ab')
    await post('b', { b: 1 })
    expect([gateway.remove('a'), gateway.remove('a')]).toEqual([true, false])
    expect(await names(subject)).toBe('b')
    expect(texts()).toEqual(['b is 1'])
    expect(() => gateway.subscribe('c', direct('x', { deliver: 'log' }))).toThrow(/deliver_only/)
    expect(() => gateway.subscribe('c', {})).toThrow(/has no secret/)
    // The routes that it starts with are checked in the same way.
    for (const name of ['a', 'static']) {
      const given = name === 'a' ? {} : route
      const options = { port: 0, routes: { static: route }, subscriptions: { [name]: given } }
      const started = startGateway(options).then((other) => other.close())
      await expect(started).rejects.toThrow(
        name === 'a' ? /"a" has no secret/ : /static routes win/,
      )
    }
  },
  { routes: {}, subscriptions: { a: route } },
)

proves(
  'subscriptions/static-wins',
  async (subject) => {
    const { gateway, post, idle, texts } = subject
    write(subject, 1000, { static: { secret: 'other', prompt: 'dynamic' }, a: route })
    expect(await names(subject)).toBe('a')
    expect((await post('static', {})).status).toBe(202)
    await idle()
    expect(texts()).toEqual(['static'])
    expect(() => gateway.subscribe('a', route)).toThrow(/from a file/)
    const memory = await startGateway({ port: 0, routes: { static: route } })
    expect(() => memory.subscribe('static', route)).toThrow(/static routes win/)
    await memory.close()
  },
  onFile(),
)

provesQuirk(
  'webhooks.reload-only-newer',
  async (subject) => {
    write(subject, 1000, { a: route })
    expect(await names(subject)).toBe('a')
    write(subject, 999, { b: route })
    expect(await names(subject)).toBe('a')
    write(subject, 1001, { c: route })
    expect(await names(subject)).toBe('c')
    rmSync(fileOf(subject))
    expect(await names(subject)).toBe('')
    write(subject, 1001, { a: route })
    expect(await names(subject)).toBe('')
  },
  onFile(),
)
