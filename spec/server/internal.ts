// What the server tells its own front end below /internal/: its log, its folders, the files in them.

import { local, type Endpoints, type Rules, type Schema } from '../language.ts'
import { folderTypes } from './files.ts'
import { logEntry, terminalSize } from './messages.ts'

export const rawLogs = {
  type: 'object',
  properties: { entries: { type: 'array', items: logEntry }, size: terminalSize },
  required: ['entries', 'size'],
} as const satisfies Schema

export const logSubscription = {
  type: 'object',
  properties: { clientId: { type: 'string' }, enabled: { type: 'boolean' } },
  required: ['clientId', 'enabled'],
} as const satisfies Schema

/** Absolute paths by the name of a model folder. */
export const folderPaths = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
} as const satisfies Schema

const names = { type: 'array', items: { type: 'string' } } as const

export const folderRefusal = {
  type: 'object',
  properties: { error: { type: 'string' } },
  required: ['error'],
} as const satisfies Schema

export const endpoints = {
  logs: {
    method: 'GET',
    path: '/internal/logs',
    on: local,
    does: 'Gives the log as one text.',
    replies: { 200: { type: 'string', volatile: true } },
  },
  rawLogs: {
    method: 'GET',
    path: '/internal/logs/raw',
    on: local,
    does: 'Gives the log line by line.',
    replies: { 200: rawLogs },
  },
  subscribeLogs: {
    method: 'PATCH',
    path: '/internal/logs/subscribe',
    on: local,
    does: 'Sends new lines of the log to the socket of a client, or no more.',
    body: logSubscription,
    replies: { 200: 'empty', 500: 'text' },
    acceptsInvalid: local,
  },
  folderPaths: {
    method: 'GET',
    path: '/internal/folder_paths',
    on: local,
    does: 'Tells where the model folders lie.',
    replies: { 200: folderPaths },
  },
  folderFiles: {
    method: 'GET',
    path: '/internal/files/{type}',
    on: local,
    does: 'Lists the files of the input, output or temp folder.',
    parts: { type: { enum: folderTypes } },
    replies: { 200: names, 400: folderRefusal },
  },
} as const satisfies Endpoints

export const rules = {
  'internal/no-twin': {
    says: 'Below /api there is no /internal/.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, /internal',
    on: local,
  },
  'internal/unknown-path': {
    says: 'An unknown path below /internal/ answers 404 with a text, whatever the method.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, /internal',
    on: local,
  },
  'internal/wrong-method': {
    says: 'Below /internal/ Allow lists the methods of the path alone.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, /internal',
    on: local,
  },
  'internal/log': {
    says: 'The log has a line for the start of each run and one for its end.',
    basis: 'chosen',
    on: local,
  },
  'internal/log-lines': {
    says: 'GET /internal/logs/raw gives the latest 300 lines with their time, and the terminal size.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, /internal',
    on: local,
  },
  'internal/log-text': {
    says: 'GET /internal/logs gives the same lines as one JSON string, each after its time.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, /internal',
    on: local,
  },
  'internal/log-subscription': {
    says: 'A client that has subscribed gets each new line in a logs message, until it withdraws.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, /internal',
    on: local,
  },
  'internal/log-subscription-refusals': {
    says: 'A subscription without clientId or enabled answers 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, /internal',
    on: local,
  },
  'internal/folder-paths': {
    says: 'GET /internal/folder_paths gives absolute paths for each model folder.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, /internal',
    on: local,
  },
  'internal/files': {
    says: 'GET /internal/files/<type> lists the names at the top of that folder, newest first.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, /internal',
    on: local,
  },
  'internal/files-type': {
    says: 'GET /internal/files of another folder than input, output and temp answers 400.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, /internal',
    on: local,
  },
} as const satisfies Rules
