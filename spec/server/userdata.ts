// The files that a front end stores in the user folder: workflows, settings and any others.

import { both, hosted, local, type Endpoints, type Rules, type Schema } from '../language.ts'

const seconds = { type: 'number', volatile: true } as const
const flag = { type: 'string' } as const
const text = { type: 'string' } as const

/** A file of the user folder. Times are seconds since 1970; since 2026 milliseconds. */
export const userFile = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    size: { type: 'integer', minimum: 0 },
    modified: seconds,
    created: seconds,
  },
  required: ['path', 'size', 'modified', 'created'],
} as const satisfies Schema

/** Paths; or an array of each path followed by its parts; or all metadata of each file. */
export const userFiles = {
  type: 'array',
  items: { anyOf: [text, { type: 'array', items: text }, userFile] },
} as const satisfies Schema

/** A file of a hosted account. Its time is in milliseconds since 1970. */
export const hostedUserFile = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    size: { type: 'integer', minimum: 0 },
    modified: { type: 'integer', volatile: true },
  },
  required: ['path', 'size', 'modified'],
  additionalProperties: false,
} as const satisfies Schema

export const hostedUserFiles = {
  type: 'array',
  items: hostedUserFile,
} as const satisfies Schema

/** Folders and files with their path from the user folder. */
export const userEntries = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      name: text,
      path: text,
      type: { enum: ['directory', 'file'] },
      size: { type: 'integer', minimum: 0 },
      modified: seconds,
    },
    required: ['name', 'path', 'type'],
  },
} as const satisfies Schema

/** The written file: its path, or with full_info all its metadata. */
export const writtenFile = { anyOf: [text, userFile] } as const satisfies Schema

const how = { overwrite: flag, full_info: flag } as const

export const endpoints = {
  listUserdata: {
    method: 'GET',
    path: '/userdata',
    on: both,
    does: 'Lists the files of a folder in the user folder.',
    requiredQuery: ['dir'],
    query: {
      dir: { type: 'string', minLength: 1 },
      recurse: flag,
      full_info: flag,
      split: flag,
    },
    hostedQuery: { dir: text, recurse: flag, full_info: flag, split: flag },
    replies: { 200: userFiles, 400: 'text', 403: 'text', 404: 'text' },
    hostedReplies: { 200: hostedUserFiles, 400: 'text', 404: 'text' },
  },
  browseUserdata: {
    method: 'GET',
    path: '/v2/userdata',
    on: local,
    does: 'Lists the folders and files below a path in the user folder.',
    query: { path: text },
    replies: { 200: userEntries, 400: 'text', 404: 'text' },
    // A path must lead to a folder in the user folder.
    rejectsValid: local,
  },
  readUserdata: {
    method: 'GET',
    path: '/userdata/{file}',
    on: both,
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
  },
  writeUserdata: {
    method: 'POST',
    path: '/userdata/{file}',
    on: both,
    does: 'Stores a user file.',
    query: how,
    body: 'bytes',
    replies: { 200: writtenFile, 400: 'empty', 403: 'empty', 409: 'text' },
    hostedReplies: { 200: hostedUserFile, 400: 'text', 403: 'text', 409: 'text' },
  },
  deleteUserdata: {
    method: 'DELETE',
    path: '/userdata/{file}',
    on: both,
    does: 'Deletes a user file.',
    replies: { 204: 'empty', 403: 'empty', 404: 'empty', 500: 'text' },
    hostedReplies: { 204: 'empty', 403: 'text', 404: 'text' },
  },
  moveUserdata: {
    method: 'POST',
    path: '/userdata/{file}/move/{dest}',
    on: both,
    does: 'Moves a user file to another path.',
    query: how,
    replies: { 200: writtenFile, 403: 'empty', 404: 'empty', 409: 'text', 500: 'text' },
    hostedReplies: { 200: hostedUserFile, 400: 'text', 403: 'text', 404: 'text', 409: 'text' },
  },
} as const satisfies Endpoints

export const rules = {
  'userdata/write': {
    says: 'POST /userdata/<file> stores the bytes of its body and returns the path.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/read': {
    says: 'GET /userdata/<file> returns the stored bytes with the type that the name suggests.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
    before: '0.27',
  },
  'userdata/download': {
    says: 'A read returns a download, whose type browsers do not guess and never run as a page.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, userdata',
    on: local,
    since: '0.27',
  },
  'userdata/user-style': {
    says: 'The file user.css at the top is a style sheet, and not a download.',
    basis: 'observed',
    source: 'ComfyUI 0.33.0, userdata',
    on: local,
    since: '0.33',
  },
  'userdata/one-segment': {
    says: 'A file is one path segment: %2F encodes its slashes, and the server creates its folders.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/decoded-twice': {
    says: 'The server decodes a file name again if it contains a percent sign after decoding.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/full-info': {
    says: 'With full_info a write or move returns path, size, modified and created.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/times': {
    says: 'Times are float seconds: modified of the last write, created of the last write or move.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
    before: '0.27',
  },
  'userdata/whole-times': {
    says: 'Times are whole milliseconds; those of GET /v2/userdata are float seconds.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, userdata',
    on: local,
    since: '0.27',
  },
  'userdata/no-overwrite': {
    says: 'With overwrite=false an existing path returns 409 and does not change.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/delete': {
    says: 'DELETE /userdata/<file> returns 204 without a body and removes the file.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/move': {
    says: 'POST /userdata/<file>/move/<dest> moves the file to the other path.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/unknown-file': {
    says: 'GET, DELETE and move of a file that does not exist return 404.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/stays-inside': {
    says: 'A path that leaves the user folder returns 403; as the target of a move it returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
    before: '0.27',
  },
  'userdata/never-outside': {
    says: 'A path that leaves the user folder returns 403, as the target of a move too.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, userdata',
    on: local,
    since: '0.27',
  },
  'userdata/folder-is-no-file': {
    says: 'A folder in place of a file returns 403 for GET, 400 for a write and 500 for DELETE.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/folder-as-download': {
    says: 'The refusal to read a folder has the headers of a download.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, userdata',
    on: local,
    since: '0.27',
  },
  'userdata/impossible-name': {
    says: 'A name that no file can have returns 400 with a reason phrase and no body.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/nul': {
    says: 'A name with the character NUL returns 500 for a write, and otherwise as for an unknown file.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    library: 'aiohttp',
    on: local,
  },
  'userdata/impossible-folder': {
    says: 'A path through a folder that cannot be created returns 500, also to read it.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata; ComfyUI 0.27.0',
    on: local,
  },
  'userdata/list': {
    says: 'GET /userdata lists the names of the files in the folder dir.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/list-forms': {
    says: 'recurse includes subfolders, split adds path parts, full_info returns metadata and overrides split.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/list-hides-dots': {
    says: 'GET /userdata omits names that begin with a dot, and lists nothing for a file.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/list-refusals': {
    says: 'A listing returns 400 without dir, 403 outside the user folder, 404 for a missing folder.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/browse': {
    says: 'GET /v2/userdata lists everything below path: folders first, then by name, ignoring case.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/browse-refusals': {
    says: 'GET /v2/userdata returns 400 outside the user folder or for a file, 404 for a missing path.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/bounds': {
    says: 'A write beyond 64 MiB or 10,000 files and folders in all is rejected as a failed write.',
    basis: 'chosen',
    on: local,
  },
  'userdata/hosted-list': {
    says: 'A hosted listing holds objects of path, size and modified, whatever query is sent.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-list-folder': {
    says: 'A hosted listing covers the folder dir, its subfolders with recurse, and all without dir.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-write': {
    says: 'A hosted write stores bytes and returns path, size and modified.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-read': {
    says: 'GET of a hosted file returns its bytes as application/octet-stream.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-times': {
    says: 'Hosted times are whole milliseconds since 1970.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-no-overwrite': {
    says: 'With overwrite=false an existing hosted path returns 409 and does not change.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-delete': {
    says: 'DELETE of a hosted file returns 204 and removes the file.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-move': {
    says: 'A hosted move changes the path of a file and returns path, size and modified.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-refusals': {
    says: 'Hosted user data errors are texts: 400, 403 outside the folder, 404 for a missing file.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
} as const satisfies Rules
