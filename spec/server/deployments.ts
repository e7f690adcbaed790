// The two forms in which the workflow server runs: addresses, path prefix, renamed paths.

import { hosted, local, type Deployment, type Rules, stated, chosen } from '../language.ts'

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
  'deployments/local-address': stated.local(
    'The local server listens on a loopback address, on port 8188 by default.',
    'A13',
  ),
  'deployments/hosted-address': stated.hosted(
    'Clients reach the hosted server over HTTPS and its socket over WSS.',
    'A14',
  ),
  'deployments/certificate': chosen.both(
    'A server with a certificate and key serves only HTTPS and WSS.',
  ),
  'deployments/certificate-auto': chosen.both(
    'With --tls auto the server creates a certificate at start and writes its CA to a file for clients.',
  ),
  'deployments/like-local': chosen.local(
    'With --like a local server uses the quirks, options and names of that server as defaults.',
  ),
  'deployments/mutant': chosen.both(
    'With --mutant serve plays a server with one deliberate fault, and prints the rules it breaks.',
  ),
  'deployments/local-prefix': stated.local(
    'The local server serves paths without a prefix.',
    'A15',
  ),
  'deployments/hosted-prefix': stated.hosted(
    'The hosted server serves the same endpoints below /api, except for the renamed ones.',
    'A11',
    'A16',
    'A102',
  ),
  'deployments/hosted-unprefixed': stated.hosted(
    'The hosted server returns 404 for /api/ws, /manager and every REST path without /api.',
    'A16',
    'A20',
  ),
  'deployments/hosted-history-renamed': stated.hosted(
    'The hosted server serves the history at /api/history_v2.',
    'A96',
    'A151',
  ),
  'deployments/hosted-old-history': stated.hosted(
    'GET /api/history returns 404 on the hosted server.',
    'A97',
  ),
  'deployments/hosted-models-renamed': stated.hosted(
    'The hosted server serves model folders and models below /api/experiment/models.',
    'A100',
    'A101',
    'A151',
  ),
  'deployments/hosted-not-built': chosen.hosted(
    'Hosted paths of assets, saved workflows, accounts and billing below /api return 404.',
  ),
  'deployments/hosted-old-models': {
    says: 'The hosted /api/models and all paths below it return 404.',
    basis: 'observed',
    source: 'published hosted API, 2026, paths',
    on: hosted,
  },
  'deployments/paths-of-local': chosen.hosted(
    'The hosted server does not know paths that only local servers have, with or without the prefix.',
  ),
  'deployments/paths-of-hosted': {
    says: 'The local server does not know paths that only the hosted server has.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, paths',
    on: local,
    before: '0.27',
  },
  'deployments/local-socket': stated.local(
    'The local socket opens at /ws with the query parameter clientId.',
    'A19',
    'A78',
  ),
  'deployments/hosted-socket': stated.hosted(
    'The hosted socket opens at /ws with the query parameters clientId and token.',
    'A20',
  ),
} as const satisfies Rules
