// Each link of each page leads somewhere: to a file, a heading, or a file in the repository on the web.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { pack } from '../../support/packed.ts'
import { files, pageOf, root } from './pages.ts'

const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly repository: { readonly url: string }
}
/** Files of the repository on the web. */
const onTheWeb = new RegExp(
  `^${repository.url.replace(/^git\+|\.git$/g, '')}/(?:blob|raw|tree)/main/`,
)

const pages = files.filter((file) => /\.md$|^llms\.txt$/.test(file)).map(pageOf)

/** The text of a page without its code. */
const proseOf = (text: string): string =>
  text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '`')

/** The targets of links and pictures. */
const targetsOf = (text: string): readonly string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g)].map(
    ([, link, attribute]) => link ?? attribute ?? '',
  )

/** The anchors of a page: its headings, as hosts of repositories name them, and those that it sets itself. */
function findAnchors(text: string): ReadonlySet<string> {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  const headings = [...prose.matchAll(/^#+ (?:<a id="[^"]*"><\/a>)?(.*)$/gm)].map(
    ([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
  )
  return new Set([...headings, ...ownAnchors(prose)])
}

const ownAnchors = (prose: string): readonly string[] =>
  [...prose.matchAll(/<a id="([^"]*)">/g)].map(([, id = '']) => id)

const anchors = new Map<string, ReadonlySet<string>>()

const hasAnchor = (path: string, anchor: string): boolean => {
  if (!anchors.has(path)) anchors.set(path, findAnchors(readFileSync(path, 'utf8')))
  return anchors.get(path)?.has(anchor) ?? false
}

/** Where a link leads: a file and an anchor, or undefined for another site. */
function placeOf(
  file: string,
  target: string,
): readonly [path: string, anchor: string] | undefined {
  const [address = '', anchor = ''] = target.split('#')
  if (onTheWeb.test(address)) return [address.replace(onTheWeb, ''), anchor]
  if (/^\w+:/.test(address)) return undefined
  return [address === '' ? file : join(dirname(file), address), anchor]
}

function leadsSomewhere(file: string, target: string): boolean {
  const [path = '', anchor = ''] = placeOf(file, target) ?? []
  if (path === '') return true
  const whole = join(root, path)
  if (!existsSync(whole)) return false
  if (anchor === '' || !statSync(whole).isFile()) return anchor === ''
  return hasAnchor(whole, anchor)
}

test('there are pages with links', () => {
  expect(pages.map(({ file }) => file)).toEqual(
    expect.arrayContaining(['README.md', 'spec/PROTOCOL.md', '.github/CONTRIBUTING.md']),
  )
  expect(pages.flatMap(({ text }) => targetsOf(text)).length).toBeGreaterThan(100)
})

test.each(pages)('the links of $file lead somewhere', ({ file, text }) => {
  expect(targetsOf(text).filter((target) => !leadsSomewhere(file, target))).toEqual([])
})

test('the anchors that a page sets differ', () => {
  const twice = pages.flatMap(({ text }) => {
    const set = ownAnchors(text)
    return set.filter((one, at) => set.indexOf(one) !== at)
  })
  expect(twice).toEqual([])
})

test('the pages of the package link to files of the package, and on the web to all others', async () => {
  const { files: packed } = await pack()
  const paths = packed.map(({ path }) => path)
  const isThere = (path: string): boolean => paths.some((one) => `${one}/`.startsWith(`${path}/`))
  const missing = pages
    .filter(({ file }) => paths.includes(file))
    .flatMap(({ file, text }) =>
      targetsOf(text)
        .filter((target) => !/^\w+:/.test(target))
        .filter((target) => !isThere(placeOf(file, target)?.[0] ?? ''))
        .map((target) => `${file}: ${target}`),
    )
  expect(missing).toEqual([])
})
