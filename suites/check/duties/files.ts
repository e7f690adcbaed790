// Duties about files: which outputs a client downloads, how it addresses them, what it does when a download breaks off.

import {
  asked,
  broken,
  type Duty,
  type Script,
  fails,
  faulty,
  kept,
  notJudged,
  succeeds,
  viewsOf,
  withoutView,
} from './duty.ts'
import type { Observed, Ordinary } from './observed.ts'

type NodeRules = NonNullable<Script['nodes']>
type Outputs = NonNullable<NodeRules[number]['outputs']>

/** The start of an MP4 file. */
const clip = { filename: 'clip.mp4', base64: 'AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDE=' }

/** A picture of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** A name that an address has to encode. */
const oddName = { filename: 'a b & c+d #1 100% ü.png', base64: PIXEL }

/** A picture whose bytes no client uploads, under the name of an upload. */
const ofAnother = (name: string) => ({ path: `input/${name}`, base64: PIXEL })

/** The nodes with outputs have these. */
const outputting = (ordinary: Ordinary, outputs: Outputs): NodeRules =>
  ordinary.outputNodes.map(({ class_type }) => ({ class_type, outputs }))

/** Kept if the client has downloaded the file of that name; names of hosted files are hashes with its ending. */
const downloads =
  (ending: RegExp): Duty['judge'] =>
  (seen) => {
    const isThere = viewsOf(seen).some(({ query }) => ending.test(query['filename'] ?? ''))
    return isThere ? kept : broken('It did not download the file.')
  }

type UploadField = { readonly name: string; readonly filename?: string; readonly text?: string }

const uploads = (seen: Observed): readonly (readonly UploadField[])[] =>
  asked(seen, 'POST', /^\/upload\/(image|mask)$/).map(
    ({ body }) => (body as { fields?: readonly UploadField[] } | null)?.fields ?? [],
  )

/** The names of the files that the client uploads without replacing others. */
const uploaded = (seen: Observed): readonly string[] =>
  uploads(seen)
    .filter((fields) => !fields.some(({ name, text }) => name === 'overwrite' && text !== 'false'))
    .flatMap((fields) => fields.flatMap(({ filename }) => filename ?? []))

/** The files that a download consists of: on hosted, at the host of the links. */
const downloadPaths = (ordinary: Observed): readonly string[] =>
  ordinary.deployment === 'local' ? ['/view'] : ['/client/**']

export const fileDuties: readonly Duty[] = [
  {
    rule: 'duties/video-keys',
    unless: withoutView,
    world: (ordinary) => ({
      scenario: { nodes: outputting(ordinary, { images: [{ base64: PIXEL }], videos: [clip] }) },
    }),
    judge: downloads(/\.mp4$/),
  },
  {
    rule: 'duties/video-under-images',
    unless: withoutView,
    world: (ordinary) => ({
      options: { quirk: ['local.video-under-images'] },
      scenario: { nodes: outputting(ordinary, { videos: [clip] }) },
    }),
    judge: downloads(/\.mp4$/),
  },
  {
    rule: 'duties/file-names',
    unless: withoutView,
    world: (ordinary) => ({ scenario: { nodes: outputting(ordinary, { images: [oddName] }) } }),
    judge: (seen) => {
      const wrong = viewsOf(seen).find(({ status }) => status !== null && status >= 400)
      return wrong
        ? broken(`GET /view got ${wrong.status} for ${JSON.stringify(wrong.query)}.`)
        : succeeds(seen)
    },
  },
  {
    rule: 'duties/other-outputs',
    unless: withoutView,
    world: (ordinary) => ({
      scenario: {
        nodes: outputting(ordinary, { images: [{ base64: PIXEL }], text: ['one picture'] }),
      },
    }),
    judge: succeeds,
  },
  {
    rule: 'duties/uploads',
    unless: (seen) =>
      uploaded(seen).length === 0 ? 'The client uploads nothing without overwrite.' : undefined,
    world: (ordinary) => ({
      scenario: { start: { files: [...new Set(uploaded(ordinary))].map(ofAnother) } },
    }),
    judge: (seen) => {
      const names = uploaded(seen).map((name) => JSON.stringify(name))
      const wrong = seen.submits.flatMap((text) => names.filter((name) => text.includes(name)))[0]
      return wrong
        ? broken(`It submitted ${wrong}, which is the file of somebody else.`)
        : succeeds(seen)
    },
  },
  {
    rule: 'duties/broken-download',
    unless: withoutView,
    world: (ordinary) => ({
      scenario: {
        faults: downloadPaths(ordinary).map((path) => ({
          when: { method: 'GET', path, nth: 1 },
          then: { truncate: 20 },
        })),
      },
    }),
    judge: (seen, ordinary) => {
      const isRepeated =
        viewsOf(seen).length + seen.links > viewsOf(ordinary).length + ordinary.links
      return isRepeated ? succeeds(seen) : fails(seen)
    },
  },
  {
    rule: 'duties/expired-link',
    unless: ({ links }) => (links === 0 ? 'The client follows no signed link.' : undefined),
    ...faulty({
      when: { method: 'GET', path: '/client/**', nth: 1 },
      then: { status: 400, body: '<Error><Code>ExpiredToken</Code></Error>' },
    }),
    judge: (seen, ordinary) =>
      viewsOf(seen).length > viewsOf(ordinary).length
        ? kept
        : seen.links === 0
          ? notJudged('The client followed no link.')
          : broken('It did not ask GET /view for a new link.'),
  },
]
