// What the description leaves open about the local server, and what answers it.

import type { Difference } from './difference.ts'

/** What the description does not show. */
export const silences = [
  {
    topic: 'Entries of files in outputs',
    real: '`filename`, `subfolder` and `type`',
    ours: 'as real servers',
    rules: ['files/entry'],
  },
  {
    topic: '`prompt` of a history entry',
    real: 'the five parts of a listed run',
    ours: 'as real servers',
    rules: ['history/prompt', 'queue/item'],
  },
  {
    topic: 'Listing of the queue',
    real: '`queue_running` and `queue_pending`, in the order of a heap by number and then id',
    ours: 'the same two, by number and then in the order of the submits',
    rules: ['queue/listing', 'queue/item', 'queue/by-number'],
  },
  {
    topic: 'System statistics',
    real: 'system, RAM, versions and one entry for each device',
    ours: 'as real servers, with one device',
    rules: ['system/statistics', 'system/statistics-fields'],
  },
  {
    topic: 'Description of a node type',
    real: 'inputs, their order, outputs, names, category and whether it is an output',
    ours: 'as real servers',
    rules: ['catalog/node-types', 'catalog/node-type-fields', 'catalog/unknown-node-type'],
  },
  {
    topic: 'States of a run',
    real: 'pending, running, then in the history; a run that is removed vanishes; nothing is tried again',
    ours: 'as real servers',
    rules: [
      'queue/listing',
      'queue/removed-leaves-nothing',
      'queue/removal-status',
      'history/only-finished',
      'history/kept',
    ],
  },
  {
    topic: 'Replies to changes of queue and history, interrupts, and freeing of memory',
    real: '200 without a body',
    ours: 'as real servers',
    rules: ['http/empty-replies', 'history/clear', 'system/free-reply'],
  },
  {
    topic: 'Reply to GET /prompt',
    real: 'how many runs wait or run',
    ours: 'as real servers',
    rules: ['system/queue-length'],
  },
  {
    topic: 'Bodies of the node manager',
    real: 'not those of the server itself',
    ours: 'counts of the installations; what is installed is listed, and nothing is fetched',
    rules: [
      'manager/status-counts',
      'manager/installed-model-listed',
      'manager/path-stays-inside',
      'manager/incomplete',
    ],
  },
  {
    topic: 'How the bearer token travels',
    real: 'there is none',
    ours: 'in `Authorization: Bearer`, or as the query `token`, which browsers can give a socket',
    rules: ['access/bearer-token', 'access/bearer-refusal', 'access/bearer-hidden'],
    refusals: ['bearerMissing'],
  },
  {
    topic: 'Status and body of a refused submit',
    real: '400 with the type of the error, or 500 where the body has another form',
    ours: 'as real servers',
    rules: [
      'workflows/invalid-is-400',
      'workflows/no-prompt',
      'workflows/no-outputs',
      'workflows/unknown-class',
      'workflows/cycle-refused',
      'workflows/details',
      'http/broken-json',
    ],
    refusals: ['internal'],
  },
  {
    topic: 'Unknown ids of runs',
    real: 'an empty object from the history; elsewhere 200 without effect',
    ours: 'as real servers',
    rules: ['history/unknown', 'queue/running-is-spared', 'queue/interrupt-named'],
  },
  {
    topic: 'Form of refusals',
    real: 'none in common: empty bodies, fixed texts, JSON for submits and a few others',
    ours: 'as real servers',
    rules: ['http/empty-replies', 'http/unknown-path', 'http/wrong-method', 'http/broken-json'],
    refusals: ['badRequestEmpty', 'forbiddenEmpty', 'notFoundEmpty', 'notFoundText', 'internal'],
  },
  {
    topic: 'Size of bodies and of messages',
    real: '100 MiB, or as configured, and 4 MiB for a message on the socket',
    ours: 'as real servers',
    rules: ['http/body-limit', 'http/body-limit-told', 'messages/too-large'],
    refusals: ['bodyTooLarge'],
  },
  {
    topic: 'Rate limits, and length of the queue',
    real: 'none',
    ours: 'no rate limit; pending workflows have room up to a limit',
    rules: ['workflows/any-pace', 'queue/bounded', 'queue/hosted-bounded'],
    refusals: ['queueFull'],
  },
  {
    topic: 'Time-outs',
    real: 'none for runs and sockets; kept connections are closed after an hour',
    ours: 'as real servers',
    rules: ['runs/no-time-out', 'http/connection'],
  },
  {
    topic: 'How much the history holds',
    real: '10,000 runs, or one more, in memory',
    ours: 'as real servers',
    rules: ['history/cap', 'history/oldest-first'],
  },
  {
    topic: 'Versions',
    real: 'in no header and no path, but in the statistics; feature flags on the socket and at /features',
    ours: 'as real servers',
    rules: ['system/statistics-fields', 'system/features', 'messages/feature-flags'],
  },
  {
    topic: 'Texts of 400 for what is not HTTP',
    real: 'what their library says of the bytes, in an answer of HTTP/1.0; it differs between versions',
    ours: 'one text, in an answer of HTTP/1.1 that closes; earlier requests of the connection are answered too',
    rules: ['http/no-http', 'http/long-lines', 'http/garbage-last'],
    refusals: ['badRequestText'],
  },
  {
    topic: 'Folders of the pages, such as GET /assets',
    real: '403 with a text, since the folder is there but not listed',
    ours: '404 as for any unknown path: there are no pages but one',
    rules: ['http/unknown-path'],
  },
  {
    topic: 'The range unit in capitals',
    real: '206 or 416, by the version of their library',
    ours: '206',
    rules: ['files/view-range'],
  },
  {
    topic: 'Port',
    real: '8188',
    ours: 'as real servers',
    rules: ['deployments/local-address'],
  },
] as const satisfies readonly Omit<
  Difference,
  'stated' | 'quirks' | 'hostedRefusals' | 'gatewayRefusals'
>[]
