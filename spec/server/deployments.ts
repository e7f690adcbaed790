// The two forms in which the workflow server runs: addresses, path prefix, renamed paths.

import { both, hosted, local, type Deployment, type Rules } from '../language.ts'

export type Profile = {
  readonly scheme: 'http' | 'https'
  readonly socketScheme: 'ws' | 'wss'
  readonly port?: number
  /** Precedes every path except those of `unprefixed`; the server does not serve a path without it. */
  readonly prefix: string
  /** A second prefix under which the server serves the same paths. */
  readonly alias?: string
  readonly unprefixed: readonly string[]
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
    unprefixed: [],
    socket: 'ws://<host>:<port>/ws?clientId=<uuid>',
    credential: 'none, or a bearer token if the server is configured with one',
    view: 'the bytes of the file',
  },
  hosted: {
    scheme: 'https',
    socketScheme: 'wss',
    prefix: '/api',
    unprefixed: ['/ws'],
    socket: 'wss://<host>/ws?clientId=<uuid>&token=<API_KEY>',
    credential: 'header X-API-Key',
    view: '302 to a signed link on another host',
  },
} as const satisfies Record<Deployment, Profile>

export const rules = {
  'deployments/local-address': {
    says: 'The local server listens on a loopback address, on port 8188 by default.',
    basis: 'stated',
    on: local,
    carries: ['A13'],
  },
  'deployments/hosted-address': {
    says: 'Clients reach the hosted server over HTTPS and its socket over WSS.',
    basis: 'stated',
    on: hosted,
    carries: ['A14'],
  },
  'deployments/certificate': {
    says: 'A server with a certificate and key serves only HTTPS and WSS.',
    basis: 'chosen',
    on: both,
  },
  'deployments/certificate-auto': {
    says: 'With --tls auto the server creates a certificate at start and writes its CA to a file for clients.',
    basis: 'chosen',
    on: both,
  },
  'deployments/like-local': {
    says: 'With --like a local server uses the quirks, options and names of that server as defaults.',
    basis: 'chosen',
    on: local,
  },
  'deployments/mutant': {
    says: 'With --mutant serve plays a server with one deliberate fault, and prints the rules it breaks.',
    basis: 'chosen',
    on: both,
  },
  'deployments/local-prefix': {
    says: 'The local server serves paths without a prefix.',
    basis: 'stated',
    on: local,
    carries: ['A15'],
  },
  'deployments/hosted-prefix': {
    says: 'The hosted server serves the same endpoints below /api, except for the renamed ones.',
    basis: 'stated',
    on: hosted,
    carries: ['A11', 'A16', 'A102'],
  },
  'deployments/hosted-unprefixed': {
    says: 'The hosted server returns 404 for /api/ws, /manager and every REST path without /api.',
    basis: 'stated',
    on: hosted,
    carries: ['A16', 'A20'],
  },
  'deployments/hosted-history-renamed': {
    says: 'The hosted server serves the history at /api/history_v2.',
    basis: 'stated',
    on: hosted,
    carries: ['A96', 'A151'],
  },
  'deployments/hosted-old-history': {
    says: 'GET /api/history returns 404 on the hosted server.',
    basis: 'stated',
    on: hosted,
    carries: ['A97'],
  },
  'deployments/hosted-models-renamed': {
    says: 'The hosted server serves model folders and models below /api/experiment/models.',
    basis: 'stated',
    on: hosted,
    carries: ['A100', 'A101', 'A151'],
  },
  'deployments/hosted-not-built': {
    says: 'Hosted paths of assets, saved workflows, accounts and billing below /api return 404.',
    basis: 'chosen',
    on: hosted,
  },
  'deployments/hosted-old-models': {
    says: 'The hosted /api/models and all paths below it return 404.',
    basis: 'observed',
    source: 'published hosted API, 2026, paths',
    on: hosted,
  },
  'deployments/paths-of-local': {
    says: 'The hosted server does not know paths that only local servers have, with or without the prefix.',
    basis: 'chosen',
    on: hosted,
  },
  'deployments/paths-of-hosted': {
    says: 'The local server does not know paths that only the hosted server has.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, paths',
    on: local,
    before: '0.27',
  },
  'deployments/local-socket': {
    says: 'The local socket opens at /ws with the query parameter clientId.',
    basis: 'stated',
    on: local,
    carries: ['A19', 'A78'],
  },
  'deployments/hosted-socket': {
    says: 'The hosted socket opens at /ws with the query parameters clientId and token.',
    basis: 'stated',
    on: hosted,
    carries: ['A20'],
  },
} as const satisfies Rules
