// The files that a front end keeps in the folder of its user: workflows, settings and whatever else it stores.

import { both, hosted, local, type Endpoints, type Rules, type Schema } from '../language.ts'

const seconds = { type: 'number', volatile: true } as const
const flag = { type: 'string' } as const
const text = { type: 'string' } as const

/** A file of the user folder. Times are seconds since 1970. */
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

/** Paths; or for each a path followed by its parts; or all that is known of each file. */
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

/** What was written: its path, or with full_info all that is known of it. */
export const writtenFile = { anyOf: [text, userFile] } as const satisfies Schema

const how = { overwrite: flag, full_info: flag } as const

export const endpoints = {
  listUserdata: {
    method: 'GET',
    path: '/userdata',
    on: both,
    does: 'Lists the files of a folder of the user.',
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
    does: 'Lists the folders and files below a path of the user.',
    query: { path: text },
    replies: { 200: userEntries, 400: 'text', 404: 'text' },
    // A path must lead to a folder of the user.
    rejectsValid: local,
  },
  readUserdata: {
    method: 'GET',
    path: '/userdata/{file}',
    on: both,
    does: 'Gives a file of the user.',
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
    does: 'Stores a file of the user.',
    query: how,
    body: 'bytes',
    replies: { 200: writtenFile, 400: 'empty', 403: 'empty', 409: 'text' },
    hostedReplies: { 200: hostedUserFile, 400: 'text', 403: 'text', 409: 'text' },
  },
  deleteUserdata: {
    method: 'DELETE',
    path: '/userdata/{file}',
    on: both,
    does: 'Deletes a file of the user.',
    replies: { 204: 'empty', 403: 'empty', 404: 'empty', 500: 'text' },
    hostedReplies: { 204: 'empty', 403: 'text', 404: 'text' },
  },
  moveUserdata: {
    method: 'POST',
    path: '/userdata/{file}/move/{dest}',
    on: both,
    does: 'Gives a file of the user another path.',
    query: how,
    replies: { 200: writtenFile, 403: 'empty', 404: 'empty', 409: 'text', 500: 'text' },
    hostedReplies: { 200: hostedUserFile, 400: 'text', 403: 'text', 404: 'text', 409: 'text' },
  },
} as const satisfies Endpoints

export const rules = {
  'userdata/write': {
    says: 'POST /userdata/<file> stores the bytes of its body and answers with the path.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/read': {
    says: 'GET /userdata/<file> gives the stored bytes with the type that the name suggests.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/one-segment': {
    says: 'A file is one path segment: its slashes are encoded as %2F, its folders made as needed.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/decoded-twice': {
    says: 'A file name that still has a percent sign after decoding is decoded once more.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/full-info': {
    says: 'With full_info a write or move answers with path, size, modified and created.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/times': {
    says: 'Times are float seconds: modified of the last write, created of the last write or move.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/no-overwrite': {
    says: 'With overwrite=false a taken path answers 409 and is left as it is.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/delete': {
    says: 'DELETE /userdata/<file> answers 204 without a body, and the file is gone.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/move': {
    says: 'POST /userdata/<file>/move/<dest> gives the file the other path.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/unknown-file': {
    says: 'A file that does not exist answers 404 to GET, DELETE and move.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/stays-inside': {
    says: 'A path that leaves the user folder answers 403, as the target of a move 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/folder-is-no-file': {
    says: 'A folder as the file answers 403 to GET, 400 to a write and 500 to DELETE.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/impossible-name': {
    says: 'A name that no file can have answers 400 with a reason phrase and no body.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/list': {
    says: 'GET /userdata lists the names of the files in the folder dir.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/list-forms': {
    says: 'recurse lists subfolders too, split the parts of paths, full_info, which wins, all facts.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/list-hides-dots': {
    says: 'GET /userdata leaves out what is hidden by a dot, and has nothing to list in a file.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/list-refusals': {
    says: 'A listing answers 400 without a dir, 403 outside the user folder, 404 if there is none.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/browse': {
    says: 'GET /v2/userdata lists all below path: folders first, then by name in any case.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/browse-refusals': {
    says: 'GET /v2/userdata answers 400 outside the user folder or at a file, 404 at nothing.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, userdata',
    on: local,
  },
  'userdata/bounds': {
    says: 'What goes beyond 64 MiB or 10,000 files and folders is refused as a failed write.',
    basis: 'chosen',
    on: local,
  },
  'userdata/hosted-list': {
    says: 'A hosted listing holds objects of path, size and modified, whatever the query asks for.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-list-folder': {
    says: 'A hosted listing is of the folder dir, without it of all, and with recurse of those below.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-write': {
    says: 'A hosted write stores bytes and answers with path, size and modified.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-read': {
    says: 'GET of a hosted file gives its bytes as application/octet-stream.',
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
    says: 'With overwrite=false a taken hosted path answers 409 and is left as it is.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-delete': {
    says: 'DELETE of a hosted file answers 204, and the file is gone.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-move': {
    says: 'A hosted move gives a file another path and answers with path, size and modified.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
  'userdata/hosted-refusals': {
    says: 'Hosted user data refuses with texts: 400, 403 outside, 404 for what is not there.',
    basis: 'observed',
    source: 'published hosted API, 2026, userdata',
    on: hosted,
  },
} as const satisfies Rules
