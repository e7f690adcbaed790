// How much of everything there is room for: each number once, for the server, for its judges and for the documents.

import type { RuleId } from './index.ts'

export type Limit = {
  /** What is limited, and where. */
  readonly what: string
  readonly value: number
  /** What is counted. */
  readonly unit: 'bytes' | 'characters' | 'files and folders' | 'lines' | 'runs' | 'users'
  /** Rules whose sentences tell the number. */
  readonly rules: readonly RuleId[]
}

const MiB = 2 ** 20

export const limits = {
  body: {
    what: 'the body of a request, where the server is told no other limit',
    value: 100 * MiB,
    unit: 'bytes',
    rules: ['http/body-limit'],
  },
  line: {
    what: 'the request line, and each header line, of a request',
    value: 8190,
    unit: 'bytes',
    rules: ['http/long-lines'],
  },
  clientMessage: {
    what: 'a message of a client on the socket',
    value: 4 * MiB,
    unit: 'bytes',
    rules: ['messages/too-large'],
  },
  behind: {
    what: 'what waits for a socket whose client does not read',
    value: 64 * MiB,
    unit: 'bytes',
    rules: ['messages/slow-reader'],
  },
  pending: {
    what: 'all pending workflows together',
    value: 512 * MiB,
    unit: 'bytes',
    rules: ['queue/bounded'],
  },
  history: {
    what: 'runs in the history',
    value: 10_000,
    unit: 'runs',
    rules: ['history/cap'],
  },
  userdata: {
    what: 'all files of the user together',
    value: 64 * MiB,
    unit: 'bytes',
    rules: ['userdata/bounds'],
  },
  userdataEntries: {
    what: 'the folder of the user, itself included',
    value: 10_000,
    unit: 'files and folders',
    rules: ['userdata/bounds'],
  },
  users: {
    what: 'users that are added',
    value: 1000,
    unit: 'users',
    rules: ['settings/user-bounds'],
  },
  userName: {
    what: 'the name of a user',
    value: 255,
    unit: 'characters',
    rules: ['settings/user-bounds'],
  },
  log: {
    what: 'the log that clients can read',
    value: 300,
    unit: 'lines',
    rules: ['internal/log-lines'],
  },
} as const satisfies Readonly<Record<string, Limit>>
