// What holds for every sequence of writes, deletions and moves: user data equals the tree of a small model.

import { posix } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { startSubject, type Subject } from '../judge/subject.ts'
import { exchange } from '../judge/wire.ts'
import { anyText } from '../generate/texts.ts'
import { runs } from '../support/effort.ts'
import { assertSessions } from '../support/kept-sessions.ts'

type Command =
  | { readonly kind: 'get' | 'delete'; readonly name: string }
  | { readonly kind: 'put'; readonly name: string; readonly body: string; readonly keep: boolean }
  | { readonly kind: 'move'; readonly name: string; readonly dest: string; readonly keep: boolean }
  | { readonly kind: 'list'; readonly name: string; readonly recurse: boolean }

const part = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'c', 'd') },
  { weight: 2, arbitrary: fc.constantFrom('..', '.', '', '%2e%2E', '%2F', '%61') },
  { weight: 1, arbitrary: fc.constantFrom('ü', '\\', '..\\', '.h', 'n\0', '%00', '%25', ' ') },
)
const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
const keep = fc.boolean()
const body = fc.constantFrom('', 'x', 'longer')
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('put' as const), name, body, keep }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('get' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), name }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('move' as const), name, dest: name, keep }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('list' as const), name, recurse: fc.boolean() }),
  },
)

/** A folder by the names in it; a file is its content. */
type Folder = Map<string, Folder | string>

const HOME = '/the/home'

/** The path from the user folder, or null outside it. */
function wayOf(name: string): string[] | null {
  const path = posix.resolve(HOME, decodeURIComponent(name))
  if (path === HOME) return []
  return path.startsWith(`${HOME}/`) ? path.slice(HOME.length + 1).split('/') : null
}

const find = (root: Folder, way: readonly string[]) =>
  way.reduce<Folder | string | undefined>(
    (at, part) => (at instanceof Map ? at.get(part) : undefined),
    root,
  )

/** Puts something at a path whose folders are created, or returns that this is impossible. */
function place(root: Folder, way: readonly string[], what: Folder | string): boolean {
  if (way.length === 0 || way.some((part) => part.includes('\0'))) return false
  const above = way.map((_, length) => find(root, way.slice(0, length)))
  if (above.some((one) => typeof one === 'string')) return false
  let at = root
  for (const part of way.slice(0, -1)) {
    const next = at.get(part) ?? new Map()
    at.set(part, next)
    at = next as Folder
  }
  at.set(way.at(-1)!, what)
  return true
}

function take(root: Folder, way: readonly string[]): void {
  const above = find(root, way.slice(0, -1))
  if (above instanceof Map) above.delete(way.at(-1)!)
}

function moveInModel(root: Folder, from: string[], to: string[], keeps: boolean): number {
  const what = find(root, from)
  if (what === undefined) return 404
  if (keeps && find(root, to) !== undefined) return 409
  if (from.join('/') === to.join('/')) return 200
  const isInto = find(root, to) instanceof Map
  const target = isInto ? [...to, ...from.slice(-1)] : to
  const there = find(root, target)
  const isBelow = from.every((part, at) => target[at] === part)
  if (isBelow || (there !== undefined && (isInto || what instanceof Map))) return 500
  if (!place(root, target, what)) return 500
  take(root, from)
  return 200
}

/** What the model does with a command: the status of its answer. */
function model(root: Folder, one: Command): number {
  const way = wayOf(one.name)
  if (way === null) return 403
  const found = find(root, way)
  if (one.kind === 'put') {
    // The system call throws, as for any name that it cannot take.
    if (way.some((part) => part.includes('\0'))) return 500
    if (found !== undefined && one.keep) return 409
    return found instanceof Map || !place(root, way, one.body) ? 400 : 200
  }
  if (one.kind === 'move') {
    const to = wayOf(one.dest)
    if (found === undefined) return 404
    return to === null ? 500 : moveInModel(root, way, to, one.keep)
  }
  if (found === undefined) return 404
  if (one.kind === 'get') return found instanceof Map ? 403 : 200
  if (one.kind === 'list') return 200
  if (found instanceof Map) return 500
  take(root, way)
  return 204
}

/** All files and folders below a folder with their content. */
function everything(folder: Folder, prefix = ''): [path: string, content: string | null][] {
  const all: [string, string | null][] = []
  for (const [part, one] of folder) {
    const path = prefix + part
    if (one instanceof Map) all.push([path, null], ...everything(one, `${path}/`))
    else all.push([path, one])
  }
  return all
}

async function send({ request, get }: Subject, one: Command) {
  const path = `/userdata/${encodeURIComponent(one.name)}`
  const flags = 'keep' in one && one.keep ? '?overwrite=false' : ''
  if (one.kind === 'put') return request('POST', path + flags, one.body)
  if (one.kind === 'move')
    return request('POST', `${path}/move/${encodeURIComponent(one.dest)}${flags}`)
  if (one.kind === 'list')
    return get(`/userdata?recurse=${one.recurse}&dir=${encodeURIComponent(one.name)}`)
  return request(one.kind === 'get' ? 'GET' : 'DELETE', path)
}

function listedInModel(root: Folder, { name, recurse }: Command & { kind: 'list' }): string[] {
  const folder = find(root, wayOf(name) ?? [])
  return everything(folder instanceof Map ? folder : new Map())
    .filter(([, content]) => content !== null)
    .map(([path]) => path)
    .filter((path) => !/(^|\/)\./.test(path) && (recurse || !path.includes('/')))
    .toSorted()
}

async function play(commands: readonly Command[], subject: Subject): Promise<void> {
  const root: Folder = new Map()
  for (const one of commands) {
    // An empty name is neither a path segment nor a name of a folder.
    if (one.name === '' || ('dest' in one && one.dest === '')) continue
    const status = model(root, one)
    const reply = await send(subject, one)
    expect([one, reply.status]).toEqual([one, status])
    if (one.kind === 'list' && status === 200)
      expect(reply.json().toSorted()).toEqual(listedInModel(root, one))
    const listed: ListedFile[] = (await subject.get('/v2/userdata')).json()
    const sizes = listed.map(({ path, size }) => `${path}: ${size ?? 'folder'}`)
    const wanted = everything(root).map(
      ([path, content]) => `${path}: ${content?.length ?? 'folder'}`,
    )
    expect(sizes.toSorted()).toEqual(wanted.toSorted())
  }
  for (const [path, content] of everything(root)) {
    // Stored names are decoded; a percent sign in them is encoded once more for the second decoding.
    const segment = encodeURIComponent(encodeURIComponent(path))
    if (content !== null) expect((await subject.get(`/userdata/${segment}`)).text).toBe(content)
  }
}

type ListedFile = { readonly path: string; readonly size?: number }

test('userdata/model User data equals the tree of a small model.', async () => {
  const sessions = fc.array(command, { maxLength: 20 })
  await assertSessions(
    { title: 'userdata/model', sessions, start: () => startSubject(), play },
    { seed: 20260103, numRuns: runs(60) },
  )
})

const someText = anyText(20)
const pieces = ['../', '..', '/', '%2F', '%2f', '%252F', '%25252F', '%00', '\0', '\\', '%', '%zz']
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...pieces, '%c3', 'ü', '😀', 'a'), someText), { maxLength: 6 })
  .map((parts) => parts.join(''))
/** One path segment as it is on the wire: encoded, or with whatever a client may write without encoding. */
const segment = fc.oneof(
  hostile.map((text) => encodeURIComponent(text)),
  hostile.map((text) => encodeURI(text).replaceAll(/[/?#]/g, '%2F')),
  fc.stringMatching(/^[!-~]{0,20}$/).map((text) => text.replaceAll(/[/?#]/g, '%')),
)

test('userdata/hostile-names No name leaves the user folder or breaks the server.', async () => {
  const subject = await startSubject()
  const statuses = new Set<number>()
  const property = fc.asyncProperty(segment, segment, async (one, other) => {
    const ways: [method: string, path: string][] = [
      ['POST', `/userdata/${one}?full_info=true`],
      ['GET', `/userdata/${one}`],
      ['POST', `/userdata/${one}/move/${other}`],
      ['GET', `/userdata?dir=${one}&recurse=true`],
      ['GET', `/v2/userdata?path=${other}`],
      ['DELETE', `/userdata/${other}`],
      ['GET', `/settings/${one}`],
    ]
    for (const [method, path] of ways) {
      const { status } = await exchange(subject.url, method, path, {}, method === 'POST' ? 'x' : '')
      statuses.add(status)
      expect([200, 204, 400, 403, 404, 405, 409, 500]).toContain(status)
    }
    const listed: ListedFile[] = (await subject.get('/v2/userdata')).json()
    const names = listed.flatMap(({ path }) => path.split('/'))
    expect(names.filter((part) => ['', '.', '..'].includes(part) || part.includes('\0'))).toEqual(
      [],
    )
  })
  try {
    await fc.assert(property, { seed: 20260104, numRuns: 60 })
    expect(statuses).toEqual(new Set([200, 204, 400, 403, 404, 405, 500]))
  } finally {
    await subject.close()
  }
})
