// Differences in everything except runs: models, user data, settings, and the form of refusals.

import { jsonType, reason, refusedAs } from './words.ts'
import { isFor, pathOf, type PlainReply } from '../model/client-view.ts'
import type { Difference } from './difference.ts'
import type { PlainRequest } from '../generate/actions.ts'

const oneFile = /^\/userdata\/[^/]+$/
const oneModelFolder = /^\/models\/[^/]+$/
const oneSetting = /^\/settings\/(.*)$/

const withQuery = (
  request: PlainRequest,
  changes: Readonly<Record<string, string>>,
): PlainRequest => {
  const values = new URLSearchParams(request.path.split('?')[1] ?? '')
  for (const [name, value] of Object.entries(changes)) values.set(name, value)
  return { ...request, path: `${pathOf(request)}?${values.toString()}` }
}

/** Whole milliseconds instead of seconds, and one time instead of two. */
const hostedFile = ({ path, size, modified }: any) => ({
  path,
  size,
  modified: Math.round(modified * 1000),
})

const isWrite = (request: PlainRequest): boolean =>
  isFor(request, 'POST', oneFile) || isFor(request, 'POST', /^\/userdata\/[^/]+\/move\/[^/]+$/)
const isListing = (request: PlainRequest): boolean => isFor(request, 'GET', '/userdata')

const userRefusals: Readonly<Record<number, Parameters<typeof refusedAs>[0]>> = {
  400: 'userFileRefused',
  403: 'userPathOutside',
  404: 'userFileUnknown',
  409: 'userFileExists',
  // A move to a place outside.
  500: 'userPathOutside',
}
const listingRefusals: typeof userRefusals = { 403: 'userFolderOutside', 404: 'userFolderUnknown' }

function refusedUserData({ status }: PlainReply, request: PlainRequest): PlainReply | undefined {
  const name = (isListing(request) ? listingRefusals : userRefusals)[status]
  return name === undefined ? undefined : refusedAs(name)
}

export const userDifferences: readonly Difference[] = [
  {
    id: 'model folders have a name and no places',
    from: ['catalog/hosted-folders', 'deployments/hosted-models-renamed'],
    request: (request) =>
      isFor(request, 'GET', '/models') ? { ...request, path: '/experiment/models' } : undefined,
    reply: (reply, request) =>
      isFor(request, 'GET', '/models')
        ? { ...reply, body: reply.body.map(({ name }: any) => ({ name, folders: [name] })) }
        : undefined,
  },
  {
    id: 'models have a name and the index of their place',
    from: ['catalog/hosted-models', 'catalog/hosted-no-models'],
    request: (request) =>
      isFor(request, 'GET', oneModelFolder)
        ? { ...request, path: `/experiment${request.path}` }
        : undefined,
    reply: (reply, request) => {
      if (!isFor(request, 'GET', oneModelFolder)) return undefined
      if (reply.status === 404 || reply.body.length === 0) return refusedAs('folderNotFound')
      return {
        ...reply,
        body: reply.body.map(({ name, pathIndex }: any) => ({ name, pathIndex })),
      }
    },
  },
  {
    id: 'a listing of user data is of all, and of objects',
    from: ['userdata/hosted-list', 'userdata/hosted-list-folder', 'userdata/hosted-times'],
    request: (request) => {
      if (!isListing(request)) return undefined
      const { dir = '' } = Object.fromEntries(new URLSearchParams(request.path.split('?')[1] ?? ''))
      return withQuery(request, { dir: dir || '.', full_info: 'true' })
    },
    reply: (reply, request) =>
      isListing(request) && reply.status === 200
        ? { ...reply, body: reply.body.map(hostedFile) }
        : undefined,
  },
  {
    id: 'a write of user data is answered with path, size and time',
    from: ['userdata/hosted-write', 'userdata/hosted-move', 'userdata/hosted-times'],
    request: (request) =>
      isWrite(request) ? withQuery(request, { full_info: 'true' }) : undefined,
    reply: (reply, request) =>
      isWrite(request) && reply.status === 200
        ? { ...reply, body: hostedFile(reply.body) }
        : undefined,
  },
  {
    id: 'user data is read as bytes',
    from: ['userdata/hosted-read'],
    reply: (reply, request) =>
      isFor(request, 'GET', oneFile) && reply.status === 200
        ? { ...reply, type: 'application/octet-stream' }
        : undefined,
  },
  {
    id: 'user data refuses with texts',
    from: ['userdata/hosted-refusals', 'userdata/hosted-no-overwrite'],
    reply: (reply, request) =>
      pathOf(request).startsWith('/userdata') ? refusedUserData(reply, request) : undefined,
  },
  {
    id: 'a change of the settings answers with all of them',
    from: ['settings/hosted-merge'],
    reply: (reply, request, { settings }) =>
      isFor(request, 'POST', '/settings')
        ? { ...reply, type: jsonType, body: { ...settings } }
        : undefined,
  },
  {
    id: 'one setting is an object, and an unset one is refused',
    from: ['settings/hosted-one', 'settings/hosted-unset'],
    reply: (reply, request, { settings }) => {
      const id = oneSetting.exec(request.path)?.[1]
      if (id === undefined) return undefined
      return id in settings
        ? { ...reply, type: jsonType, body: { value: settings[id] } }
        : refusedAs('notFound')
    },
  },
  {
    id: 'refusals have a code',
    from: ['http/hosted-refusals', 'http/hosted-bad-body', 'workflows/hosted-unreadable'],
    reply: (reply, request) => {
      const isOwn = typeof reply.body !== 'string' || pathOf(request).startsWith('/userdata')
      if (isOwn || reply.status < 400) return undefined
      return reply.status === 500
        ? refusedAs('badRequest')
        : { ...reply, type: jsonType, body: { code: 'NOT_FOUND', message: reason } }
    },
  },
]
