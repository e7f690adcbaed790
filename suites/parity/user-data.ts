// Differences in what is no run: models, user data, settings, and the form of refusals.

import { jsonType, reason, refusedAs } from './words.ts'
import { isFor, pathOf, type Told } from '../model/client-view.ts'
import type { Difference } from './difference.ts'
import type { Asked } from '../generate/actions.ts'

const oneFile = /^\/userdata\/[^/]+$/
const oneModelFolder = /^\/models\/[^/]+$/
const oneSetting = /^\/settings\/(.*)$/

const withQuery = (asked: Asked, changes: Readonly<Record<string, string>>): Asked => {
  const values = new URLSearchParams(asked.path.split('?')[1] ?? '')
  for (const [name, value] of Object.entries(changes)) values.set(name, value)
  return { ...asked, path: `${pathOf(asked)}?${values.toString()}` }
}

/** Whole milliseconds in the place of seconds, and one time of two. */
const hostedFile = ({ path, size, modified }: any) => ({
  path,
  size,
  modified: Math.round(modified * 1000),
})

const isWrite = (asked: Asked): boolean =>
  isFor(asked, 'POST', oneFile) || isFor(asked, 'POST', /^\/userdata\/[^/]+\/move\/[^/]+$/)
const isListing = (asked: Asked): boolean => isFor(asked, 'GET', '/userdata')

const userRefusals: Readonly<Record<number, Parameters<typeof refusedAs>[0]>> = {
  400: 'userFileRefused',
  403: 'userPathOutside',
  404: 'userFileUnknown',
  409: 'userFileExists',
  // A move to a place outside.
  500: 'userPathOutside',
}
const listingRefusals: typeof userRefusals = { 403: 'userFolderOutside', 404: 'userFolderUnknown' }

function refusedUserData({ status }: Told, asked: Asked): Told | undefined {
  const name = (isListing(asked) ? listingRefusals : userRefusals)[status]
  return name === undefined ? undefined : refusedAs(name)
}

export const userDifferences: readonly Difference[] = [
  {
    id: 'model folders have a name and no places',
    from: ['catalog/hosted-folders', 'deployments/hosted-models-renamed'],
    request: (asked) =>
      isFor(asked, 'GET', '/models') ? { ...asked, path: '/experiment/models' } : undefined,
    reply: (told, asked) =>
      isFor(asked, 'GET', '/models')
        ? { ...told, body: told.body.map(({ name }: any) => ({ name, folders: [name] })) }
        : undefined,
  },
  {
    id: 'models have a name and the index of their place',
    from: ['catalog/hosted-models', 'catalog/hosted-no-models'],
    request: (asked) =>
      isFor(asked, 'GET', oneModelFolder)
        ? { ...asked, path: `/experiment${asked.path}` }
        : undefined,
    reply: (told, asked) => {
      if (!isFor(asked, 'GET', oneModelFolder)) return undefined
      if (told.status === 404 || told.body.length === 0) return refusedAs('folderNotFound')
      return {
        ...told,
        body: told.body.map(({ name, pathIndex }: any) => ({ name, pathIndex })),
      }
    },
  },
  {
    id: 'a listing of user data is of all, and of objects',
    from: ['userdata/hosted-list', 'userdata/hosted-list-folder', 'userdata/hosted-times'],
    request: (asked) => {
      if (!isListing(asked)) return undefined
      const { dir = '' } = Object.fromEntries(new URLSearchParams(asked.path.split('?')[1] ?? ''))
      return withQuery(asked, { dir: dir || '.', full_info: 'true' })
    },
    reply: (told, asked) =>
      isListing(asked) && told.status === 200
        ? { ...told, body: told.body.map(hostedFile) }
        : undefined,
  },
  {
    id: 'a write of user data is answered with path, size and time',
    from: ['userdata/hosted-write', 'userdata/hosted-move', 'userdata/hosted-times'],
    request: (asked) => (isWrite(asked) ? withQuery(asked, { full_info: 'true' }) : undefined),
    reply: (told, asked) =>
      isWrite(asked) && told.status === 200 ? { ...told, body: hostedFile(told.body) } : undefined,
  },
  {
    id: 'user data is read as bytes',
    from: ['userdata/hosted-read'],
    reply: (told, asked) =>
      isFor(asked, 'GET', oneFile) && told.status === 200
        ? { ...told, type: 'application/octet-stream' }
        : undefined,
  },
  {
    id: 'user data refuses with texts',
    from: ['userdata/hosted-refusals', 'userdata/hosted-no-overwrite'],
    reply: (told, asked) =>
      pathOf(asked).startsWith('/userdata') ? refusedUserData(told, asked) : undefined,
  },
  {
    id: 'a change of the settings answers with all of them',
    from: ['settings/hosted-merge'],
    reply: (told, asked, { settings }) =>
      isFor(asked, 'POST', '/settings')
        ? { ...told, type: jsonType, body: { ...settings } }
        : undefined,
  },
  {
    id: 'one setting is an object, and an unset one is refused',
    from: ['settings/hosted-one', 'settings/hosted-unset'],
    reply: (told, asked, { settings }) => {
      const id = oneSetting.exec(asked.path)?.[1]
      if (id === undefined) return undefined
      return id in settings
        ? { ...told, type: jsonType, body: { value: settings[id] } }
        : refusedAs('notFound')
    },
  },
  {
    id: 'refusals have a code',
    from: ['http/hosted-refusals', 'http/hosted-bad-body', 'workflows/hosted-unreadable'],
    reply: (told, asked) => {
      const isOwn = typeof told.body !== 'string' || pathOf(asked).startsWith('/userdata')
      if (isOwn || told.status < 400) return undefined
      return told.status === 500
        ? refusedAs('badRequest')
        : { ...told, type: jsonType, body: { code: 'NOT_FOUND', message: reason } }
    },
  },
]
