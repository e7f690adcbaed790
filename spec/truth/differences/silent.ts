// What the description leaves open about the local server.

import type { Difference } from './difference.ts'

/** What the description leaves open. */
export const silences = [
  {
    topic: 'Entries of files in outputs',
    real: '`filename`, `subfolder` and `type`',
    ours: 'like real servers',
    rules: ['files/entry'],
  },
  {
    topic: '`prompt` of a history entry',
    real: 'the five parts of a listed run',
    ours: 'like real servers',
    rules: ['history/prompt', 'queue/item'],
  },
  {
    topic: 'Listing of the queue',
    real: '`queue_running` and `queue_pending`, in the order of a heap by number and then id',
    ours: 'the same two, by number and then in the order of the submits',
    rules: ['queue/listing', 'queue/item', 'queue/by-number'],
    quirks: ['queue.heap-order'],
  },
  {
    topic: 'Images that lack their last bytes, or are larger than 4096 pixels',
    real: 'a decoder opens some of them, such as a PNG without its last chunk',
    ours: 'not opened: a conversion and a mask of them return 500',
    rules: ['files/view-cut', 'files/mask-unfit'],
  },
  {
    topic: 'Masks with a name in another format, such as .gif, .bmp, .tiff, .ico, .tga or .avif',
    real: 'stored in that format',
    ours: '500, as for .jpg',
    rules: ['files/mask-format'],
  },
  {
    topic:
      'A prefix with a null byte, an animation that runs backwards, and an array of numbers in place of pictures',
    real: 'SaveLatent fails with an error of the system, SaveAnimatedPNG fails if its pictures differ, and RebatchImages names the type of the array',
    ours: 'all saving nodes fail alike, the animation is saved, and RebatchImages names the type of the first number',
    rules: ['nodes/exceptions'],
  },
  {
    topic: 'System statistics',
    real: 'system, RAM, versions and one entry for each device',
    ours: 'like real servers, with one device',
    rules: ['system/statistics', 'system/statistics-fields'],
  },
  {
    topic: 'Description of a node type',
    real: 'inputs, their order, outputs, names, category and whether it is an output',
    ours:
      'like real servers, but without descriptions and tooltips; on later servers also without price badges and ' +
      'search aliases, and a folder of models that is empty there has one example',
    rules: [
      'catalog/node-types',
      'catalog/node-type-fields',
      'catalog/unknown-node-type',
      'catalog/types-of-generation',
    ],
  },
  {
    topic: 'Long tensors in the inputs of an error, on servers of 2026',
    real: 'three items at each edge until a run has contained PreviewAny, then six',
    ours: 'six',
    rules: ['nodes/printed-edges', 'messages/error-inputs'],
  },
  {
    topic: 'States of a run',
    real: 'pending, running, then in the history; a removed run disappears; nothing is retried',
    ours: 'like real servers',
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
    ours: 'like real servers',
    rules: ['http/empty-replies', 'history/clear', 'system/free-reply'],
  },
  {
    topic: 'Reply to GET /prompt',
    real: 'the number of pending and running runs',
    ours: 'like real servers',
    rules: ['system/queue-length'],
  },
  {
    topic: 'Bodies of the node manager',
    real: 'not part of the server itself',
    ours: 'counts of the installations; an installed model is listed, and nothing is downloaded',
    rules: [
      'manager/status-counts',
      'manager/installed-model-listed',
      'manager/path-stays-inside',
      'manager/incomplete',
    ],
  },
  {
    topic: 'How clients send the bearer token',
    real: 'they do not support one',
    ours: 'in `Authorization: Bearer`, or as the query parameter `token`, which browsers can send to a socket',
    rules: ['access/bearer-token', 'access/bearer-refusal', 'access/bearer-hidden'],
    refusals: ['bearerMissing'],
  },
  {
    topic: 'Basic authorization, and keys in headers of other names',
    real: 'not of the server, but of proxies in front of it',
    ours:
      'no world requires them, which would repeat a proxy; requests keep such headers, and commands send them with ' +
      '--header',
    rules: ['control/request-headers'],
  },
  {
    topic: 'Status and body of a rejected submit',
    real: '400 with the type of the error, or 500 if the body has another form',
    ours: 'like real servers',
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
    topic: 'Input that the error of a cycle names, before 0.27',
    real: 'depends on how deep the stack of Python was: with one more call, it is another input',
    ours: 'the first that belongs to the cycle',
    rules: ['workflows/blame'],
  },
  {
    topic: 'Unknown ids of runs',
    real: 'an empty object from the history; elsewhere 200 without effect',
    ours: 'like real servers',
    rules: ['history/unknown', 'queue/running-is-spared', 'queue/interrupt-named'],
  },
  {
    topic: 'Format of errors',
    real: 'no common format: empty bodies, fixed texts, JSON for submits and a few others',
    ours: 'like real servers',
    rules: ['http/empty-replies', 'http/unknown-path', 'http/wrong-method', 'http/broken-json'],
    refusals: ['badRequestEmpty', 'forbiddenEmpty', 'notFoundEmpty', 'notFoundText', 'internal'],
  },
  {
    topic: 'Size of bodies and of messages',
    real: '100 MiB, or as configured, and 4 MiB for a message on the socket',
    ours: 'like real servers',
    rules: ['http/body-limit', 'http/body-limit-feature', 'messages/too-large'],
    refusals: ['bodyTooLarge'],
  },
  {
    topic: 'Rate limits, and length of the queue',
    real: 'none',
    ours: 'no rate limit; the size of pending workflows is limited',
    rules: ['workflows/any-pace', 'queue/bounded', 'queue/hosted-bounded'],
    refusals: ['queueFull'],
  },
  {
    topic: 'Time-outs',
    real: 'none for runs and sockets; kept connections are closed after an hour',
    ours: 'like real servers',
    rules: ['runs/no-time-out', 'http/connection'],
  },
  {
    topic: 'Size of the history',
    real: '10,000 runs, or one more, in memory',
    ours: 'like real servers',
    rules: ['history/cap', 'history/oldest-first'],
  },
  {
    topic: 'Texts, numbers and sizes of nodes that need no model',
    real: 'what Python and its libraries return',
    ours: 'exactly the same, exceptions included; a regular expression that takes too long ends',
    rules: [
      'nodes/texts',
      'nodes/expressions',
      'nodes/expressions-bounded',
      'nodes/sizes',
      'nodes/exceptions',
    ],
  },
  {
    topic: 'Pictures and masks of nodes that need no model',
    real: 'what their libraries compute',
    ours:
      'exactly the same where it is arithmetic (invert, blend, crop, pad, flip, rotate, nearest scale, solid, masks, ' +
      'composites); within 2 of 255 for other scales, blurs, sharpening and colours in palettes',
    rules: ['nodes/pixels', 'nodes/masks', 'nodes/mixed'],
  },
  {
    topic: 'Latents, noise levels, conditioning and sounds of nodes that need no model',
    real: 'numbers, which other nodes use and PreviewAny shows',
    ours:
      'the same numbers, apart from their last digits; GITSScheduler approximates schedules that were not recorded, and ' +
      'conditioning has shapes and settings, no numbers. A file of a sound or a video is a fixed sample',
    rules: ['nodes/tensor-text', 'nodes/latents-saved'],
  },
  {
    topic: 'Noise, lossy files and cameras of nodes that need no model',
    real: 'random numbers of their library, and its codecs',
    ours:
      'made up in the right shape: ImageAddNoise, LTXVPreprocess, WanCameraEmbedding, LossGraphNode. Animations are ' +
      'always lossless',
    rules: ['nodes/sizes'],
  },
  {
    topic: 'When a picture is computed',
    real: 'while the node runs',
    ours:
      'when somebody requests the picture, or a text downstream shows it: an output file holds the recipe. A picture of ' +
      'more than about 2,000 million numbers, or behind a long chain of nodes, is painted instead',
    rules: ['nodes/mixed', 'nodes/chain-bounded'],
  },
  {
    topic: 'Versions',
    real: 'in no header or path, but in the statistics; feature flags on the socket and at /features',
    ours: 'like real servers',
    rules: ['system/statistics-fields', 'system/features', 'messages/feature-flags'],
  },
  {
    topic: 'Texts of 400 for input that is not HTTP',
    real:
      'the error of their library about the bytes, in an HTTP/1.0 reply; it differs between versions, as does the ' +
      'status for the target *',
    ours: 'one text, in an HTTP/1.1 reply that closes; earlier requests of the connection are answered too',
    rules: ['http/no-http', 'http/long-lines', 'http/garbage-last', 'http/asterisk'],
    refusals: ['badRequestText'],
  },
  {
    topic: 'How JSON is written',
    real: 'ASCII, in which other characters are escaped, with blanks behind commas and colons',
    ours: 'UTF-8 without blanks: the same values, and other lengths',
    rules: ['http/json-replies', 'settings/one'],
  },
  {
    topic: 'Order of what a Python set or a hash table holds',
    real:
      'outputs are validated and executed, inputs of a node validated, and members of latents written in an order that ' +
      'differs from start to start: it decides which of two equal nodes runs, which input an error names, and what a ' +
      'failed or interrupted run has already done',
    ours: 'the order of the workflow, of the declaration, and of the members',
    rules: ['workflows/dependent-outputs', 'runs/sources-first', 'files/workflow-in-latent'],
  },
  {
    topic: 'Paths and addresses in texts',
    real: 'those of the machine, in exceptions and in the names of objects',
    ours: 'below /flowdouble and /srv/ComfyUI, and one address for all objects; what a model makes is named by its kind',
    rules: ['nodes/exceptions', 'nodes/object-text'],
  },
  {
    topic: 'GET /view of a name with a control character, such as a tab',
    real: 'the connection ends without a reply, since no header can contain the name',
    ours: 'the file',
    rules: ['files/view'],
  },
  {
    topic: 'Reading user data that do not exist',
    real: 'creates the folders of the file, which listings then find',
    ours: 'creates nothing',
    rules: ['userdata/read'],
  },
  {
    topic: 'Lines of the log, and is_changed of files that the server has made',
    real: 'whatever the server prints; the SHA-256 of the bytes',
    ours: 'one line for the start and one for the end of each run; a text of that form for a picture that is not encoded',
    rules: ['internal/log', 'files/is-changed-of-own'],
  },
  {
    topic: 'Pages and scripts of the front end',
    real: 'files with entity tags, at / and at the paths of their packages',
    ours: 'an own start page alone, unless a folder of pages is served',
    rules: ['system/home', 'http/unknown-path'],
  },
  {
    topic: 'Folders of the pages, such as GET /assets',
    real: '403 with a text, because the folder exists but is not listed',
    ours: '404 like any unknown path: the start page is the only page',
    rules: ['http/unknown-path'],
  },
  {
    topic: 'Scans for assets that nobody has asked for, on servers with assets',
    real: 'at the start, after runs and at GET /object_info; while a run goes on they pause, and say so',
    ours: 'before the first request for assets, without a message',
    rules: ['assets/scan-messages', 'assets/scanned'],
  },
  {
    topic: 'What a scan notes in the metadata of an asset',
    real: 'also the name, length, type and the path on the disk of its file',
    ours: 'the size of a picture',
    rules: ['assets/fields'],
  },
  {
    topic: 'The range unit in capitals',
    real: '206 or 416, depending on the version of their library',
    ours: '206',
    rules: ['files/view-range'],
  },
  {
    topic: 'Secrets that clients store in settings and user data',
    real: 'files in plain text; no log contains them',
    ours: 'held in memory, and in the journal as they are: it redacts what the server knows as a key',
    rules: ['access/journal-keeps-texts', 'access/journal-keys-hidden'],
  },
  {
    topic: 'Port',
    real: '8188',
    ours: 'like real servers',
    rules: ['deployments/local-address'],
  },
] as const satisfies readonly Omit<Difference, 'stated' | 'hostedRefusals' | 'gatewayRefusals'>[]
