// Wrong servers that list assets and their tags wrongly.

import { type Mutants, onJson, onReply, turned } from '../tamper.ts'

const list = /^GET \/api\/assets(\?|$)/
const tagList = /^GET \/api\/tags/

/** The assets of a page, changed. */
const onPage = (change: (assets: any[]) => any[]) =>
  onJson(list, (page) => ('assets' in page ? { ...page, assets: change(page.assets) } : page))

export const assetLists: Mutants = {
  'oldest-first': {
    breaks: ['assets/list', 'assets/list-pages', 'assets/cursor'],
    tamper: onPage((assets) => assets.toReversed()),
  },
  'pages-of-twenty': {
    breaks: ['assets/list', 'assets/scanned'],
    tamper: onPage((assets) => assets.slice(0, 5)),
  },
  'sorted-by-name': {
    breaks: ['assets/list-sort'],
    tamper: onPage((assets) => assets.toSorted((a, b) => (a.name < b.name ? -1 : 1))),
  },
  'filters-are-ignored': {
    breaks: ['assets/list-tags', 'assets/list-newer-tags', 'assets/list-hash'],
    tamper: onJson(list, (page) => ({ ...page, assets: [], total: 1 })),
  },
  'names-are-not-searched': {
    breaks: ['assets/list-name'],
    tamper: onPage(() => []),
  },
  'metadata-is-not-searched': {
    breaks: ['assets/list-metadata'],
    tamper: onReply(/metadata_filter/, ({ status }) => ({
      status: status === 200 ? 400 : status,
      body: '{}',
    })),
  },
  'newer-filters-are-known': {
    breaks: ['assets/list-ignores'],
    tamper: onJson(/tags_(all|any|none)/, (page) => ({ ...page, assets: [], total: 0 })),
  },
  'hash-is-known': {
    breaks: ['assets/list-ignores-hash'],
    tamper: onJson(/hash=none/, (page) => ({ ...page, assets: [], total: 0 })),
  },
  'limit-is-cut': {
    breaks: ['assets/list-refusals', 'assets/cursor-refusals', 'assets/list-tag-refusals'],
    tamper: turned(list, 400, 200),
  },
  'metadata-is-still-searched': {
    breaks: ['assets/list-no-metadata'],
    tamper: turned(/metadata_filter/, 400, 200),
  },
  'tags-by-name': {
    breaks: ['assets/tags'],
    tamper: onJson(tagList, (page) => ({
      ...page,
      tags: page.tags?.toSorted((a: any, b: any) => (a.name < b.name ? -1 : 1)),
    })),
  },
  'unused-tags-are-hidden': {
    breaks: ['assets/tags-query', 'assets/first-tags'],
    tamper: onJson(tagList, (page) => ({
      ...page,
      tags: page.tags?.filter(({ count }: any) => count > 0),
    })),
  },
  'counts-all': {
    breaks: ['assets/tag-counts', 'assets/list-newer-tags'],
    tamper: onJson(/refine/, () => ({ tag_counts: {} })),
  },
}
