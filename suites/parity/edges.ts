// Where a server without a network differs: what its cases do to connections, and what clients in a process cannot see.

/** Cases that differ on these edges, by their rules and place. */
export type EdgeDifference = {
  readonly why: string
  readonly on: readonly ('fetch' | 'msw')[]
  /** The version of msw from which they differ; without it in all. */
  readonly since?: number
  readonly cases: readonly string[]
}

const both = ['fetch', 'msw'] as const

export const edgeDifferences: readonly EdgeDifference[] = [
  {
    why: 'The case sends a GET with a body, which a fetch of msw 3 refuses.',
    on: ['msw'],
    since: 3,
    cases: [
      'assets/off [local]',
      'assets/only-below-api [local]',
      'http/body-limit + http/body-compressed [local]',
      'http/hosted-wrong-method [hosted]',
    ],
  },
  {
    why: 'The client of the case names another host in a header, which msw 3 replaces.',
    on: ['msw'],
    since: 3,
    cases: ['files/hosted-link-signed-host [hosted]'],
  },
  {
    why: 'The client of the case asks for an upgrade by fetch, which refuses that behind msw 3.',
    on: ['msw'],
    since: 3,
    cases: ['http/long-lines [local]'],
  },
  {
    why: 'The case sends or reads bytes of a connection, and here is none.',
    on: both,
    cases: [
      'access/bearer-token [local]',
      'faults/cut [hosted]',
      'faults/cut [local]',
      'faults/handshake-reset [hosted]',
      'faults/handshake-reset [local]',
      'faults/malformed [hosted]',
      'faults/malformed [local]',
      'faults/refuse [hosted]',
      'faults/refuse [local]',
      'faults/reset-in-body [hosted]',
      'faults/reset-in-body [local]',
      'faults/restart-sockets [hosted]',
      'faults/restart-sockets [local]',
      'faults/silence [hosted]',
      'faults/silence [local]',
      'faults/slow [hosted]',
      'faults/slow [local]',
      'faults/truncate [hosted]',
      'faults/truncate [local]',
      'files/hosted-link-signed-host + files/hosted-link-base [hosted]',
      'files/hosted-signed-url [hosted]',
      'history/cap + workflows/any-pace [local]',
      'http/body-broken-off [local]',
      'http/body-transfer [local]',
      'http/connection [local]',
      'http/cross-site [local]',
      'http/garbage-last [hosted]',
      'http/garbage-last [local]',
      'http/hosted-body-limit [hosted]',
      'http/hosted-no-http [hosted]',
      'http/last-answer [hosted]',
      'http/last-answer [local]',
      'http/long-body [hosted]',
      'http/long-body [local]',
      'http/no-http [local]',
      'http/other-upgrades [local]',
      'http/pipelined [hosted]',
      'http/pipelined [local]',
      'http/refused-early [hosted]',
      'http/refused-early [local]',
      'http/transfer-encoding [local]',
      'messages/handshake-headers [local]',
      'messages/malformed [local]',
      'messages/pings-and-closes [local]',
      'messages/refused-handshake [local]',
      'messages/too-large [local]',
      'messages/uncompressed [local]',
      'workflows/answers-first [local]',
    ],
  },
  {
    why: 'Scenarios are found by their names on a disk.',
    on: both,
    cases: ['control/scenario-names [hosted]', 'control/scenario-names [local]'],
  },
  {
    why: 'No port is occupied, opened or closed.',
    on: both,
    cases: [
      'control/world-port [hosted]',
      'control/world-port [local]',
      'control/world-port-path [hosted]',
      'control/world-port-path [local]',
      'deployments/local-address [local]',
      'files/hosted-link-host [hosted]',
    ],
  },
  {
    why: 'Responses of the fetch API have names of headers in lower case, and bodies without chunks.',
    on: both,
    cases: ['http/cors-mode [local]', 'http/hosted-cors [hosted]', 'http/hosted-options [hosted]'],
  },
  {
    why: 'A URL resolves dot segments, and drops characters that it must not contain.',
    on: both,
    cases: [
      'assets/no-uuid [local]',
      'files/hosted-link-tampered [hosted]',
      'http/asterisk [local]',
      'http/cache-control [local]',
      'http/cors-raised [local]',
      'http/path-outside [local]',
      'userdata/move [local]',
      'userdata/never-outside [local]',
      'userdata/stays-inside [local]',
    ],
  },
  {
    why: 'A request of the fetch API has no body with GET, no method TRACE, and no header Expect.',
    on: both,
    cases: [
      'access/bearer-refusal [local]',
      'http/expectation [local]',
      'http/foreign-origin [local]',
    ],
  },
  {
    why: 'A request of the fetch API has no body with GET. One through msw gets the reply of its target.',
    on: ['fetch'],
    cases: [
      'assets/off [local]',
      'assets/only-below-api [local]',
      'http/body-limit + http/body-compressed [local]',
      'http/hosted-wrong-method [hosted]',
    ],
  },
  {
    why: 'The error of a request that breaks off has no code.',
    on: both,
    cases: [
      'control/waiting-request [hosted]',
      'control/waiting-request [local]',
      'faults/reset-response [hosted]',
      'faults/reset-response [local]',
    ],
  },
  {
    why: 'msw accepts a socket before the server does, so that the client sees how it ends.',
    on: ['msw'],
    cases: [
      'control/closed-waiting [hosted]',
      'control/closed-waiting [local]',
      'faults/handshake-close [hosted]',
      'faults/handshake-close [local]',
    ],
  },
  {
    why: 'The WebSocket of the process does the handshake.',
    on: both,
    cases: ['messages/no-handshake [local]'],
  },
  {
    why: 'A handshake that arrives as a request is that of a library, which msw cannot intercept.',
    on: ['msw'],
    cases: [
      'access/hosted-socket-key [hosted]',
      'deployments/hosted-socket [hosted]',
      'deployments/hosted-unprefixed [hosted]',
      'messages/handshake-connection [local]',
      'messages/no-handshake [hosted]',
    ],
  },
  {
    why: 'No body is decompressed.',
    on: both,
    cases: ['http/body-cut [local]'],
  },
  {
    why: 'The inspector, with its explanations and pictures, is a part of the server on the network.',
    on: both,
    cases: [
      'inspector/explain [hosted]',
      'inspector/explain [local]',
      'inspector/link [hosted]',
      'inspector/link [local]',
      'inspector/page [hosted]',
      'inspector/page [local]',
      'inspector/pictures [hosted]',
      'inspector/pictures [local]',
    ],
  },
  {
    why: 'There is no port that a server could close: it resets each request while it is down.',
    on: both,
    cases: [
      'faults/down-shared [hosted]',
      'faults/down-shared [local]',
      'faults/exit [hosted]',
      'faults/exit [local]',
      'faults/restart-again [hosted]',
      'faults/restart-again [local]',
      'faults/restart-down + faults/down-closed [hosted]',
      'faults/restart-down + faults/down-closed [local]',
    ],
  },
  {
    why: 'A large picture is encoded in the thread of the page.',
    on: both,
    cases: ['files/large-pictures [local]', 'files/view-left [local]'],
  },
]
