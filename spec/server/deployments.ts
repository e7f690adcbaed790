// The two forms in which the workflow server runs: addresses, path prefix, renamed paths.

import { both, hosted, local, type Deployment, type Rules } from '../language.ts'

export type Profile = {
  readonly scheme: 'http' | 'https'
  readonly socketScheme: 'ws' | 'wss'
  readonly port?: number
  /** Stands before every path; without it a path is not served, but for those of `unprefixed`. */
  readonly prefix: string
  /** A second prefix under which the same paths are served too. */
  readonly twin?: string
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
    twin: '/api',
    unprefixed: [],
    socket: 'ws://<host>:<port>/ws?clientId=<uuid>',
    credential: 'none, or a bearer token if the server is configured for one',
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
    says: 'The local server listens on a loopback address, on port 8188 unless told otherwise.',
    basis: 'stated',
    on: local,
    carries: ['A13'],
  },
  'deployments/hosted-address': {
    says: 'The hosted server is reached over HTTPS, its socket over WSS.',
    basis: 'stated',
    on: hosted,
    carries: ['A14'],
  },
  'deployments/certificate': {
    says: 'A server with a certificate and its key speaks HTTPS and WSS, and nothing else.',
    basis: 'chosen',
    on: both,
  },
  'deployments/certificate-auto': {
    says: 'With --tls auto the certificate is made at the start, and its CA is written for clients.',
    basis: 'chosen',
    on: both,
  },
  'deployments/like-local': {
    says: 'With --like a local server has the quirks, options and names of that server as defaults.',
    basis: 'chosen',
    on: local,
  },
  'deployments/local-prefix': {
    says: 'Local paths are served without a prefix.',
    basis: 'stated',
    on: local,
    carries: ['A15'],
  },
  'deployments/hosted-prefix': {
    says: 'Hosted serves the same endpoints below /api, but for the renamed ones.',
    basis: 'stated',
    on: hosted,
    carries: ['A11', 'A16', 'A102'],
  },
  'deployments/hosted-unprefixed': {
    says: 'On hosted /api/ws, /manager and every REST path without /api answer 404.',
    basis: 'stated',
    on: hosted,
    carries: ['A16', 'A20'],
  },
  'deployments/hosted-history-renamed': {
    says: 'Hosted serves the history as /api/history_v2.',
    basis: 'stated',
    on: hosted,
    carries: ['A96', 'A151'],
  },
  'deployments/hosted-old-history': {
    says: 'GET of the hosted /api/history answers 404.',
    basis: 'stated',
    on: hosted,
    carries: ['A97'],
  },
  'deployments/hosted-models-renamed': {
    says: 'Hosted serves model folders and models below /api/experiment/models.',
    basis: 'stated',
    on: hosted,
    carries: ['A100', 'A101', 'A151'],
  },
  'deployments/hosted-not-built': {
    says: 'Hosted paths of assets, saved workflows, accounts, billing and /api/v2 answer 404.',
    basis: 'chosen',
    on: hosted,
  },
  'deployments/hosted-old-models': {
    says: 'The hosted /api/models and all below it answer 404.',
    basis: 'observed',
    source: 'published hosted API, 2026, paths',
    on: hosted,
  },
  'deployments/paths-of-local': {
    says: 'Paths that only local has are unknown on hosted, with the prefix and without.',
    basis: 'chosen',
    on: hosted,
  },
  'deployments/paths-of-hosted': {
    says: 'Paths that only hosted has are unknown on local.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, paths',
    on: local,
  },
  'deployments/local-socket': {
    says: 'The local socket opens at /ws with the query clientId.',
    basis: 'stated',
    on: local,
    carries: ['A19', 'A78'],
  },
  'deployments/hosted-socket': {
    says: 'The hosted socket opens at /ws with the queries clientId and token.',
    basis: 'stated',
    on: hosted,
    carries: ['A20'],
  },
} as const satisfies Rules
