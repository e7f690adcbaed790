// Metrics, by the conventions of Prometheus: names with the unit last, counters that end in `_total`. Those of a process,
// and those of a server with its worlds; a gateway has further ones.

export type Metric = {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** Of a histogram: the upper bounds of its buckets, in seconds. */
  readonly buckets?: readonly number[]
}

const counter = (name: string, help: string, ...labels: readonly string[]) =>
  ({ name: `flowdouble_${name}_total`, type: 'counter', help, labels }) as const
const gauge = (name: string, help: string, ...labels: readonly string[]) =>
  ({ name: `flowdouble_${name}`, type: 'gauge', help, labels }) as const

/** Those of a server, over all worlds at its address. None names a world. */
export const serverMetrics = {
  build: gauge('build_info', 'The version of the server; always 1.', 'version'),
  worlds: gauge('worlds', 'Worlds below /w/NAME.'),
  created: counter('worlds_created', 'Worlds below /w/NAME that were created.'),
  expired: counter('worlds_expired', 'Worlds that were closed since they were idle or old.'),
  sockets: gauge('sockets', 'Open sockets.'),
  runsWaiting: gauge('runs_waiting', 'Runs that wait.'),
  requests: counter('requests', 'Answered requests, without those of the control API.'),
  runs: counter('runs', 'Ended runs, by their state.', 'state'),
  messages: counter('messages', 'Messages to sockets, one for each socket.', 'kind'),
  bytes: gauge('bytes', 'What all worlds take, about, in bytes.', 'kind'),
  limit: gauge('limit_bytes', 'What they take at most (--memory-mib), in bytes.'),
  trims: counter('trims', 'How often a world lost the oldest of its history and journal.'),
  full: gauge('worlds_full', 'Worlds that refuse bodies, since they store more than their share.'),
  lag: {
    name: 'flowdouble_event_loop_lag_seconds',
    type: 'histogram',
    help: 'How late timers are, ten times a second from the first reading on.',
    labels: [],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
} as const satisfies Readonly<Record<string, Metric>>

/** Metrics of the process, with the names that all programs give them. */
export const processMetrics = {
  cpuSeconds: {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    help: 'Processor time of the process in seconds.',
    labels: [],
  },
  residentBytes: {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    help: 'Resident memory of the process in bytes.',
    labels: [],
  },
  heapBytes: {
    name: 'nodejs_heap_size_used_bytes',
    type: 'gauge',
    help: 'Heap in use of the process in bytes.',
    labels: [],
  },
  startedSeconds: {
    name: 'process_start_time_seconds',
    type: 'gauge',
    help: 'Start of the process in seconds since 1970.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>

/** Media type of the text format. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'
