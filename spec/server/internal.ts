// The endpoints for the server's own front end below /internal/: its log, its folders and their files.

import { local, type Endpoints, type Rules, chosen, observedIn } from '../language.ts'
import { folderTypes } from './files.ts'
import { logEntry, terminalSize } from './messages.ts'
import { boolean, list, object, record, text, volatile } from '../schema.ts'
import { get, patch } from '../endpoint.ts'

export const rawLogs = object({ entries: list(logEntry), size: terminalSize })

export const logSubscription = object({ clientId: text, enabled: boolean })

/** Absolute paths by the name of a model folder. */
export const folderPaths = record(list(text))

const names = list(text)

export const folderRefusal = object({ error: text })

export const endpoints = {
  logs: get('/internal/logs', local, {
    does: 'Returns the log as one text.',
    replies: { 200: volatile(text) },
  }),
  rawLogs: get('/internal/logs/raw', local, {
    does: 'Returns the log line by line.',
    replies: { 200: rawLogs },
  }),
  subscribeLogs: patch('/internal/logs/subscribe', local, {
    does: 'Starts or stops sending new log lines to the socket of a client.',
    body: logSubscription,
    replies: { 200: 'empty', 500: 'text' },
    acceptsInvalid: local,
  }),
  folderPaths: get('/internal/folder_paths', local, {
    does: 'Returns the paths of the model folders.',
    replies: { 200: folderPaths },
  }),
  folderFiles: get('/internal/files/{type}', local, {
    does: 'Lists the files of the input, output or temp folder.',
    parts: { type: { enum: folderTypes } },
    replies: { 200: names, 400: folderRefusal },
  }),
} as const satisfies Endpoints

const observed = observedIn('/internal')

export const rules = {
  ...observed.local({
    'internal/no-alias': 'Paths below /internal/ have no alias below /api.',
    'internal/unknown-path':
      'An unknown path below /internal/ returns 404 with a text, for any method.',
    'internal/wrong-method': 'Below /internal/ Allow lists only the methods of the path.',
    'internal/log-lines':
      'GET /internal/logs/raw returns the last 300 lines with their time, and the terminal size.',
    'internal/log-text':
      'GET /internal/logs returns the same lines as one JSON string, each after its time.',
    'internal/log-subscription':
      'A subscribed client receives each new line in a logs message until it unsubscribes.',
    'internal/log-subscription-refusals': 'A subscription without clientId or enabled returns 500.',
    'internal/folder-paths':
      'GET /internal/folder_paths returns one or more absolute paths for each model folder.',
  }),
  ...observed.before27({
    'internal/files':
      'GET /internal/files/<type> lists all files at the top of that folder, newest first.',
  }),
  ...observed.since27({
    'internal/files-annotated':
      'GET /internal/files/<type> lists files with their folder in brackets, none with a leading dot.',
  }),
  ...observed.local({
    'internal/files-type':
      'GET /internal/files of a folder other than input, output and temp returns 400.',
  }),
  ...chosen.local({
    'internal/log': 'The log has a line for the start and one for the end of each run.',
  }),
} as const satisfies Rules
