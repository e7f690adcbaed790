// The node manager: an optional extension of the local server that installs node packs and models.

import { local, type Endpoints, type Rules, type Schema, chosen, stated } from '../language.ts'
import { boolean, count, name, object } from '../schema.ts'
import { get, post } from '../endpoint.ts'

export const installRequest = object({ git_url: name })

export const installModelRequest = {
  ...object({ url: name, path: name, filename: name }),
  examples: [
    { url: 'https://models.example/a', path: 'checkpoints', filename: 'model.safetensors' },
  ],
} as const satisfies Schema

export const installStatus = object({
  total_count: count,
  done_count: count,
  in_progress_count: count,
  is_processing: boolean,
})

export const endpoints = {
  managerInstall: post('/manager/queue/install', local, {
    does: 'Installs a node pack from its repository.',
    body: installRequest,
    replies: { 200: 'empty', 400: 'empty', 405: 'text', 500: 'text' },
  }),
  managerStatus: get('/manager/queue/status', local, {
    does: 'Returns the progress of the installations.',
    replies: { 200: installStatus, 404: 'empty' },
  }),
  managerInstallModel: post('/manager/queue/install_model', local, {
    does: 'Installs a model file.',
    body: installModelRequest,
    replies: { 200: 'empty', 400: 'empty', 405: 'text', 500: 'text' },
    // A path must lie below one of the model folders.
    rejectsValid: local,
  }),
} as const satisfies Endpoints

export const rules = {
  ...stated.local({
    'manager/off': 'Without the extension the manager paths reply like unknown paths. [A115]',
    'manager/install': 'POST /manager/queue/install accepts a git_url. [A12 A64 A112]',
    'manager/status':
      'GET /manager/queue/status returns the progress of the installations. [A12 A113]',
    'manager/install-model':
      'POST /manager/queue/install_model accepts url, path and filename. [A12 A65 A114]',
  }),
  ...chosen.local({
    'manager/status-counts': 'The manager status counts all, done and running installations.',
    'manager/installed-model-listed':
      'The list of its folder contains an installed model; the server downloads nothing.',
    'manager/path-stays-inside': 'The server rejects a model path outside the model folders.',
    'manager/incomplete':
      'An installation that lacks a required text returns 400 and installs nothing.',
  }),
} as const satisfies Rules
