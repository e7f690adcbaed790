// How long clients may keep replies, by the ending of the path.

import { proves } from '../../judge/proves.ts'
import { wireExchanges, type WireRow } from '../../judge/rows.ts'

const day = 'public, max-age=86400'

/** Requests to paths, with the Cache-Control of their answers. */
const kept = (paths: Readonly<Record<string, string | undefined>>): readonly WireRow[] =>
  Object.entries(paths).map(([path, value]) => ['GET', path, { 'cache-control': value }])

proves('http/cache-control', ({ url }) =>
  wireExchanges(url, [
    ...kept({
      '/history/x.png': day,
      '/object_info/x.JPEG?v=1': day,
      '/object_info/x%2eTiff': day,
      '/nowhere.webp': day,
      '/models/none.png': 'public, max-age=3600',
      '/nowhere.js': 'no-cache',
      '/history/style.css': 'no-cache',
      '/history/index.json': 'no-cache',
      '/history/index-4.json': 'no-cache',
      '/': 'no-cache',
      '/history/other.json': undefined,
      '/history/x.gif': undefined,
      '/history/png': undefined,
      '/queue': undefined,
      '/view?filename=example.png&type=input': undefined,
      '/queue?x.png': undefined,
      '/../x.png': undefined,
    }),
    ['GET', '/api/', { pragma: 'no-cache', expires: '0' }],
  ]),
)

proves('http/no-store', ({ url }) =>
  wireExchanges(url, [
    ...kept({
      '/nowhere.js': 'no-store',
      '/history/style.css': 'no-store',
      '/history/index.json': 'no-store',
      '/history/index.de.json': 'no-store',
      '/': 'no-store, must-revalidate',
      '/history/x.png': day,
      '/nowhere.webp': day,
      '/models/none.png': 'public, max-age=3600',
      '/history/other.json': undefined,
      '/queue': undefined,
      '/queue?x.js': undefined,
    }),
    ['GET', '/', { pragma: 'no-cache', expires: '0' }],
  ]),
)

proves('http/no-store-modules', ({ url }) =>
  wireExchanges(url, kept({ '/nowhere.mjs': 'no-store' })),
)
