// What clients keep of replies of servers of 2026.

import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { exchange } from '../../judge/wire.ts'

const day = 'public, max-age=86400'

proves('http/no-store', async ({ url }) => {
  const kept: readonly (readonly [path: string, cacheControl: string | undefined])[] = [
    ['/nowhere.js', 'no-store'],
    ['/history/style.css', 'no-store'],
    ['/history/index.json', 'no-store'],
    ['/history/index.de.json', 'no-store'],
    ['/', 'no-store, must-revalidate'],
    ['/history/x.png', day],
    ['/nowhere.webp', day],
    ['/models/none.png', 'public, max-age=3600'],
    ['/history/other.json', undefined],
    ['/queue', undefined],
    ['/queue?x.js', undefined],
  ]
  for (const [path, cacheControl] of kept) {
    const { header } = await exchange(url, 'GET', path)
    expect({ path, cacheControl: header('cache-control') }).toEqual({ path, cacheControl })
  }
  const home = await exchange(url, 'GET', '/')
  expect({ pragma: home.header('pragma'), expires: home.header('expires') }).toEqual({
    pragma: 'no-cache',
    expires: '0',
  })
})

proves('http/no-store-modules', async ({ url }) => {
  const { header } = await exchange(url, 'GET', '/nowhere.mjs')
  expect(header('cache-control')).toBe('no-store')
})
