// The files that a front end stores in the user folder: workflows, settings and any others.

import {
  both,
  local,
  type Endpoints,
  type Rules,
  type Schema,
  chosen,
  observedIn,
  observedAt,
} from '../language.ts'
import {
  anyOf,
  count,
  integer,
  list,
  name,
  number,
  object,
  oneOf,
  optional,
  text,
  volatile,
} from '../schema.ts'
import { get, post, remove } from '../endpoint.ts'

const seconds = volatile(number)
const flag = text

/** A file of the user folder. Times are seconds since 1970; since 2026 milliseconds. */
export const userFile = object({ path: text, size: count, modified: seconds, created: seconds })

/** Paths; or an array of each path followed by its parts; or all metadata of each file. */
export const userFiles = list(anyOf(text, list(text), userFile))

/** A file of a hosted account. Its time is in milliseconds since 1970. */
export const hostedUserFile = {
  ...object({ path: text, size: count, modified: volatile(integer) }),
  additionalProperties: false,
} as const satisfies Schema

export const hostedUserFiles = list(hostedUserFile)

/** Folders and files with their path from the user folder. */
export const userEntries = list(
  object({
    name: text,
    path: text,
    type: oneOf('directory', 'file'),
    size: optional(count),
    modified: optional(seconds),
  }),
)

/** The written file: its path, or with full_info all its metadata. */
export const writtenFile = anyOf(text, userFile)

const how = { overwrite: flag, full_info: flag } as const

export const endpoints = {
  listUserdata: get('/userdata', both, {
    does: 'Lists the files of a folder in the user folder.',
    requiredQuery: ['dir'],
    query: {
      dir: name,
      recurse: flag,
      full_info: flag,
      split: flag,
    },
    hostedQuery: { dir: text, recurse: flag, full_info: flag, split: flag },
    replies: { 200: userFiles, 400: 'text', 403: 'text', 404: 'text' },
    hostedReplies: { 200: hostedUserFiles, 400: 'text', 404: 'text' },
  }),
  browseUserdata: get('/v2/userdata', local, {
    does: 'Lists the folders and files below a path in the user folder.',
    query: { path: text },
    replies: { 200: userEntries, 400: 'text', 404: 'text' },
    // A path must lead to a folder in the user folder.
    rejectsValid: local,
  }),
  readUserdata: get('/userdata/{file}', both, {
    does: 'Returns a user file.',
    replies: {
      200: 'bytes',
      206: 'bytes',
      304: 'empty',
      403: 'empty',
      404: 'empty',
      412: 'empty',
      416: 'empty',
    },
    hostedReplies: { 200: 'bytes', 403: 'text', 404: 'text' },
  }),
  writeUserdata: post('/userdata/{file}', both, {
    does: 'Stores a user file.',
    query: how,
    body: 'bytes',
    replies: { 200: writtenFile, 400: 'empty', 403: 'empty', 409: 'text' },
    hostedReplies: { 200: hostedUserFile, 400: 'text', 403: 'text', 409: 'text' },
  }),
  deleteUserdata: remove('/userdata/{file}', both, {
    does: 'Deletes a user file.',
    replies: { 204: 'empty', 403: 'empty', 404: 'empty', 500: 'text' },
    hostedReplies: { 204: 'empty', 403: 'text', 404: 'text' },
  }),
  moveUserdata: post('/userdata/{file}/move/{dest}', both, {
    does: 'Moves a user file to another path.',
    query: how,
    replies: { 200: writtenFile, 403: 'empty', 404: 'empty', 409: 'text', 500: 'text' },
    hostedReplies: { 200: hostedUserFile, 400: 'text', 403: 'text', 404: 'text', 409: 'text' },
  }),
} as const satisfies Endpoints

const observed = observedIn('userdata')

export const rules = {
  ...observed.local({
    'userdata/write': 'POST /userdata/<file> stores the bytes of its body and returns the path.',
  }),
  ...observed.before27({
    'userdata/read':
      'GET /userdata/<file> returns the stored bytes with the type that the name suggests.',
  }),
  ...observed.since27({
    'userdata/download':
      'A read returns a download, whose type browsers do not guess and never run as a page.',
  }),
  ...observedAt('ComfyUI 0.33.0, userdata', { since: '0.33' }).local({
    'userdata/user-style': 'The file user.css at the top is a style sheet, and not a download.',
  }),
  ...observed.local({
    'userdata/one-segment':
      'A file is one path segment: %2F encodes its slashes, and the server creates its folders.',
    'userdata/decoded-twice':
      'The server decodes a file name again if it contains a percent sign after decoding.',
    'userdata/full-info':
      'With full_info a write or move returns path, size, modified and created.',
  }),
  ...observed.before27({
    'userdata/times':
      'Times are float seconds: modified of the last write, created of the last write or move.',
  }),
  ...observed.since27({
    'userdata/whole-times':
      'Times are whole milliseconds; those of GET /v2/userdata are float seconds.',
  }),
  ...observed.local({
    'userdata/no-overwrite':
      'With overwrite=false an existing path returns 409 and does not change.',
    'userdata/delete': 'DELETE /userdata/<file> returns 204 without a body and removes the file.',
    'userdata/move': 'POST /userdata/<file>/move/<dest> moves the file to the other path.',
    'userdata/unknown-file': 'GET, DELETE and move of a file that does not exist return 404.',
  }),
  ...observed.before27({
    'userdata/stays-inside':
      'A path that leaves the user folder returns 403; as the target of a move it returns 500.',
  }),
  ...observed.since27({
    'userdata/never-outside':
      'A path that leaves the user folder returns 403, as the target of a move too.',
  }),
  ...observed.local({
    'userdata/folder-is-no-file':
      'A folder in place of a file returns 403 for GET, 400 for a write and 500 for DELETE.',
  }),
  ...observed.since27({
    'userdata/folder-as-download': 'The refusal to read a folder has the headers of a download.',
  }),
  ...observed.local({
    'userdata/impossible-name':
      'A name that no file can have returns 400 with a reason phrase and no body.',
  }),
  ...observedAt('ComfyUI 0.3.64, userdata', { library: 'aiohttp' }).local({
    'userdata/nul':
      'A name with the character NUL returns 500 for a write, and otherwise as for an unknown file.',
  }),
  ...observedAt('ComfyUI 0.3.64, userdata; ComfyUI 0.27.0').local({
    'userdata/impossible-folder':
      'A path through a folder that cannot be created returns 500, also to read it.',
  }),
  ...observed.local({
    'userdata/list': 'GET /userdata lists the names of the files in the folder dir.',
    'userdata/list-forms':
      'recurse includes subfolders, split adds path parts, full_info returns metadata and overrides split.',
    'userdata/list-hides-dots':
      'GET /userdata omits names that begin with a dot, and lists nothing for a file.',
    'userdata/list-refusals':
      'A listing returns 400 without dir, 403 outside the user folder, 404 for a missing folder.',
    'userdata/browse':
      'GET /v2/userdata lists everything below path: folders first, then by name, ignoring case.',
    'userdata/browse-refusals':
      'GET /v2/userdata returns 400 outside the user folder or for a file, 404 for a missing path.',
  }),
  ...observed.hosted({
    'userdata/hosted-list':
      'A hosted listing holds objects of path, size and modified, whatever query is sent.',
    'userdata/hosted-list-folder':
      'A hosted listing covers the folder dir, its subfolders with recurse, and all without dir.',
    'userdata/hosted-write': 'A hosted write stores bytes and returns path, size and modified.',
    'userdata/hosted-read': 'GET of a hosted file returns its bytes as application/octet-stream.',
    'userdata/hosted-times': 'Hosted times are whole milliseconds since 1970.',
    'userdata/hosted-no-overwrite':
      'With overwrite=false an existing hosted path returns 409 and does not change.',
    'userdata/hosted-delete': 'DELETE of a hosted file returns 204 and removes the file.',
    'userdata/hosted-move':
      'A hosted move changes the path of a file and returns path, size and modified.',
    'userdata/hosted-refusals':
      'Hosted user data errors are texts: 400, 403 outside the folder, 404 for a missing file.',
  }),
  ...chosen.local({
    'userdata/bounds':
      'A write beyond 64 MiB or 10,000 files and folders in all is rejected as a failed write.',
  }),
} as const satisfies Rules
