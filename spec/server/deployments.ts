// The two forms in which the workflow server runs: addresses, path prefix, renamed paths.

import { type Deployment, type Rules, stated, chosen, observedAt } from '../language.ts'

export type Profile = {
  readonly scheme: 'http' | 'https'
  readonly socketScheme: 'ws' | 'wss'
  readonly port?: number
  /** Precedes every path, except those of other APIs (see surfaces.ts) and of the socket. */
  readonly prefix: string
  /** A second prefix under which the server serves the same paths. */
  readonly alias?: string
  readonly socket: string
  readonly credential: string
  readonly view: string
}

export const profiles = {
  local: {
    scheme: 'http',
    socketScheme: 'ws',
    port: 8188,
    prefix: '',
    alias: '/api',
    socket: 'ws://<host>:<port>/ws?clientId=<uuid>',
    credential: 'none, or a bearer token if the server is configured with one',
    view: 'the bytes of the file',
  },
  hosted: {
    scheme: 'https',
    socketScheme: 'wss',
    prefix: '/api',
    socket: 'wss://<host>/ws?clientId=<uuid>&token=<API_KEY>',
    credential: 'header X-API-Key',
    view: '302 to a signed link on another host',
  },
} as const satisfies Record<Deployment, Profile>

export const rules = {
  ...stated.local({
    'deployments/local-address':
      'The local server listens on a loopback address, on port 8188 by default. [A13]',
  }),
  ...stated.hosted({
    'deployments/hosted-address':
      'Clients reach the hosted server over HTTPS and its socket over WSS. [A14]',
  }),
  ...stated.local({
    'deployments/local-prefix': 'The local server serves paths without a prefix. [A15]',
  }),
  ...stated.hosted({
    'deployments/hosted-prefix':
      'The hosted server serves the same endpoints below /api, except for the renamed ones. [A11 A16 A102]',
    'deployments/hosted-unprefixed':
      'The hosted server returns 404 for /api/ws, /manager and every REST path without /api. [A16 A20]',
    'deployments/hosted-history-renamed':
      'The hosted server serves the history at /api/history_v2. [A96 A151]',
    'deployments/hosted-old-history': 'GET /api/history returns 404 on the hosted server. [A97]',
    'deployments/hosted-models-renamed':
      'The hosted server serves model folders and models below /api/experiment/models. [A100 A101 A151]',
  }),
  ...observedAt('published hosted API, 2026, paths').hosted({
    'deployments/hosted-old-models': 'The hosted /api/models and all paths below it return 404.',
  }),
  ...observedAt('ComfyUI 0.3.64, paths', { before: '0.27' }).local({
    'deployments/paths-of-hosted':
      'The local server does not know paths that only the hosted server has.',
  }),
  ...stated.local({
    'deployments/local-socket':
      'The local socket opens at /ws with the query parameter clientId. [A19 A78]',
  }),
  ...stated.hosted({
    'deployments/hosted-socket':
      'The hosted socket opens at /ws with the query parameters clientId and token. [A20]',
  }),
  ...chosen.both({
    'deployments/certificate': 'A server with a certificate and key serves only HTTPS and WSS.',
    'deployments/certificate-auto':
      'With --tls auto the server creates a certificate at start and writes its CA to a file for clients.',
  }),
  ...chosen.local({
    'deployments/like-local':
      'With --like a local server uses the quirks, options and names of that server as defaults.',
  }),
  ...chosen.both({
    'deployments/mutant':
      'With --mutant serve plays a server with one deliberate fault, and prints the rules it breaks.',
  }),
  ...chosen.hosted({
    'deployments/hosted-not-built':
      'Hosted paths of payments, the hub and deployments below /api return 404.',
    'deployments/paths-of-local':
      'The hosted server does not know paths that only local servers have, with or without the prefix.',
  }),
} as const satisfies Rules
