// Differences between the description of the local server and real servers, by topic, and the behaviour of this server.

import type { Difference } from './difference.ts'

/** Contradictions and imprecisions on local, compared with ComfyUI 0.3.64. */
export const localDifferences = [
  {
    topic: 'Path prefix',
    stated: 'none',
    real: 'each path is also served below `/api`, except for `/internal/` and the pages',
    ours: 'like real servers',
    rules: ['deployments/local-prefix', 'http/alias-below-api', 'internal/no-alias'],
  },
  {
    topic: 'Credentials',
    stated: 'none, or a bearer token if one is configured',
    real: 'no option configures one, and `Authorization` is ignored',
    ours: 'ignored until `--token` configures one; then required everywhere',
    rules: [
      'access/local-without-key',
      'access/bearer-token',
      'access/bearer-refusal',
      'access/bearer-options',
    ],
    refusals: ['bearerMissing'],
  },
  {
    topic: 'Invalid workflow',
    stated: 'a submit reply with `node_errors` filled',
    real:
      '400 with `error` and `node_errors`, no `prompt_id`; `node_errors` is empty for unknown classes and ' +
      'cycles. A partly valid workflow returns 200 with `node_errors`',
    ours: 'status and format like real servers, and `node_errors` names every invalid node',
    rules: [
      'workflows/invalid-is-400',
      'workflows/invalid-names-nodes',
      'workflows/blame',
      'workflows/half-valid',
    ],
    quirks: ['workflows.bare-graph-errors', 'workflows.invalid-is-200'],
  },
  {
    topic: '`number`',
    stated: 'an integer',
    real: 'an integer if it is counted, negative with `front`; a float if the client sends one',
    ours: 'like real servers',
    rules: [
      'workflows/reply',
      'workflows/number-counts',
      'workflows/number-given',
      'workflows/number-as-float',
    ],
  },
  {
    topic: '`client_id`',
    stated: 'a text, a UUID',
    real: 'any text; an array or an object crashes the server',
    ours: 'any text, and nothing crashes the server',
    rules: ['messages/any-client-id', 'messages/own-client', 'runs/poison-fails-its-run'],
  },
  {
    topic: 'Requests that break a worker',
    stated: 'nothing',
    real:
      'some requests return 200 and crash the worker: their run stays in `queue_running`, and ' +
      'later runs stay pending',
    ours: 'the same reply, and then only that run fails',
    rules: ['runs/poison-fails-its-run'],
    quirks: ['queue.poison-kills-worker'],
  },
  {
    topic: 'Three pending runs with the same number and id',
    stated: 'nothing',
    real:
      'the second and the third submit return 500 and are queued all the same; when the next run is ' +
      'taken, that one is lost and the worker stops',
    ours: 'the same replies; the first two execute, and the third fails, or stops the worker',
    rules: ['queue/priority-collisions', 'runs/poison-fails-its-run'],
    quirks: ['queue.poison-kills-worker'],
  },
  {
    topic: 'Key for partner nodes',
    stated: '`extra_data.api_key_partner_org`',
    real:
      '`api_key_comfy_org` or `auth_token_comfy_org`; both are removed from the history, but appear in ' +
      'the queue, and a key of any other name is kept everywhere',
    ours:
      'both names of the key are accepted, with --like too, and no listing, entry or file contains ' +
      'any of the three',
    rules: [
      'access/partner-key-names',
      'access/partner-key-missing',
      'access/partner-key-hidden',
      'workflows/extra-data-kept',
    ],
    quirks: ['local.queue-shows-partner-key'],
  },
  {
    topic: 'Video outputs',
    stated: 'under the key `videos`',
    real: 'under `images`, with `animated` beside them',
    ours: 'as stated',
    rules: ['files/local-videos', 'files/animated'],
    quirks: ['local.video-under-images'],
  },
  {
    topic: 'History entry',
    stated: '`prompt`, `outputs` and `status`',
    real: 'also `meta`',
    ours: 'like real servers',
    rules: ['history/prompt', 'history/outputs', 'history/status-words', 'history/meta'],
  },
  {
    topic: '`completed` of a failed run',
    stated: 'can be true beside an error',
    real: 'both come from one flag, so it is false',
    ours: 'false',
    rules: ['history/failed-not-completed', 'history/error-comes-first'],
    quirks: ['history.completed-on-error'],
  },
  {
    topic: 'A cycle that appears only during execution',
    stated: 'nothing',
    real:
      'ends as `success` with an `execution_error` among the messages; only nodes that expand into ' +
      'others can cause it',
    ours: 'no node expands, and every cycle is rejected on submit',
    rules: ['workflows/cycle-refused', 'workflows/blame'],
  },
  {
    topic: 'Cancelled run',
    stated: '`execution_interrupted`',
    real: 'that on the socket and as the last message of the entry, whose `status_str` is "error"',
    ours: 'like real servers',
    rules: [
      'queue/interrupt',
      'messages/interrupted',
      'history/failed-not-completed',
      'history/messages',
    ],
  },
  {
    topic: 'Pending run that is removed from the queue',
    stated: 'a run that ends with cancellation is reported by `execution_interrupted`',
    real: 'the listing no longer has it; no message reports it, and the history never contains it',
    ours: 'like real servers; on hosted it is reported as cancelled',
    rules: ['queue/delete', 'queue/clear', 'messages/hosted-early-cancel'],
  },
  {
    topic: 'Who receives what',
    stated: 'events are filtered by `clientId`',
    real:
      '`status` and text frames go to everyone; for a run without `client_id` everyone gets progress and ' +
      'previews, and nobody the rest',
    ours: 'like real servers',
    rules: [
      'messages/own-client',
      'messages/status-to-everyone',
      'messages/no-client',
      'frames/text-to-everyone',
    ],
  },
  {
    topic: 'Two sockets with one `clientId`',
    stated: 'events are filtered by `clientId`; two sockets with the same one are not mentioned',
    real:
      'the newest receives, and older ones nothing; when an older one closes, the newest receives ' +
      'nothing more either',
    ours: 'the newest receives, whatever older ones do, and older ones receive nothing',
    rules: ['messages/newest-socket', 'messages/older-socket', 'messages/reconnect'],
    quirks: ['local.zombie-socket'],
  },
  {
    topic: 'File names in loaders',
    stated: 'nothing',
    real:
      'an empty name, a folder and an absolute path such as `/etc/passwd` are accepted: the run opens them, ' +
      'and fails or outputs what it reads',
    ours:
      'a folder is accepted, and the run fails; a name that leads out of the three folders is rejected with 400, ' +
      'like a file that does not exist',
    rules: [
      'workflows/no-outside-file',
      'workflows/missing-input-file',
      'nodes/folder-as-file',
      'workflows/check-trips',
    ],
  },
  {
    topic: '`executing` with node null',
    stated: 'marks the end of a run',
    real: 'as stated, also after errors and interrupts and after the last `status`; only for runs with `client_id`',
    ours: 'like real servers',
    rules: ['messages/executing-null', 'messages/executing-null-last', 'messages/no-client'],
  },
  {
    topic: 'List of messages',
    stated: 'names `notification`, but not `feature_flags`, `logs` and `display_component`',
    real: '`notification` does not exist; the other three do, the last sent only by some partner nodes',
    ours:
      'a `notification` if a test node requests one; `feature_flags` and `logs` like real servers; ' +
      'no node sends `display_component`',
    rules: ['messages/feature-flags', 'internal/log-subscription', 'messages/local-notification'],
    quirks: ['local.notification'],
  },
  {
    topic: '`executed`',
    stated: 'the output of a node is ready',
    real: 'only of nodes with an output to display; also of cached ones, whose `output` can be null',
    ours: 'like real servers',
    rules: ['messages/executed', 'messages/executed-cached'],
  },
  {
    topic: 'Order of messages',
    stated:
      '`execution_start`, then `executing`, `progress` and `executed` of each node, then the end',
    real:
      'two `status` come first, `execution_cached` is always sent, and `progress_state` comes before and ' +
      'after the messages of each node',
    ours: 'like real servers, which is consistent with the description',
    rules: [
      'messages/order',
      'messages/status-of-a-run',
      'messages/execution-cached',
      'messages/progress-state',
    ],
  },
  {
    topic: 'Previews',
    stated: 'frames of type 1',
    real: 'only if previews are enabled, which they are not by default; type 4 for clients that request it',
    ours: 'on, in JPEG; `--preview none` is the default of real servers',
    rules: ['frames/previews-on', 'frames/preview', 'frames/metadata-when-asked'],
  },
  {
    topic: '`exception_type`',
    stated: 'one of six words',
    real: 'the name of a Python class; none of the six',
    ours:
      'like real servers on local; the six words are those of hosted, and a test node or a scenario that fails ' +
      'with ValidationError has its `node_errors`',
    rules: ['runs/local-exception-names', 'runs/exception-words', 'runs/validation-details'],
  },
  {
    topic: 'Fields of an upload',
    stated: '`image`, `type` and `overwrite`',
    real: 'also `subfolder`, which is used',
    ours: 'like real servers',
    rules: ['files/upload', 'files/upload-subfolder'],
  },
  {
    topic: '`overwrite`',
    stated: 'a boolean as a text',
    real: '`true` and `1` mean yes, any other value no',
    ours: 'like real servers',
    rules: ['files/upload-overwrite', 'files/upload-overwrite-words', 'files/upload-renamed'],
  },
  {
    topic: 'Body of POST /interrupt',
    stated: 'none',
    real: 'optionally the `prompt_id` of the run to cancel',
    ours: 'like real servers',
    rules: ['queue/interrupt', 'queue/interrupt-named', 'queue/idle-interrupt-is-lost'],
  },
  {
    topic: 'Body of POST /queue',
    stated: '`clear` or `delete`',
    real: 'both can be combined; pending runs only',
    ours: 'like real servers',
    rules: ['queue/clear', 'queue/delete', 'queue/clear-and-delete', 'queue/running-is-spared'],
  },
  {
    topic: 'Query of GET /view',
    stated: '`filename`, `subfolder` and `type`',
    real: 'also `preview` and `channel`, and a folder in brackets at the end of a name',
    ours: 'like real servers',
    rules: ['files/view', 'files/view-converted', 'files/view-annotated'],
  },
  {
    topic: 'Unknown model folder',
    stated: '404 with the code `folder_not_found`, on hosted',
    real: '404 without a body on local; an empty folder returns an empty array',
    ours: 'like real servers',
    rules: ['catalog/unknown-folder'],
    refusals: ['notFoundEmpty'],
  },
  {
    topic: 'Node manager',
    stated: 'optional',
    real: 'not part of the server: GET returns 404, POST 405',
    ours: 'like real servers, unless `--manager` enables it',
    rules: ['manager/off', 'manager/install', 'manager/status', 'manager/install-model'],
    refusals: ['unknownPath', 'methodNotAllowed'],
  },
  {
    topic: 'Jobs and `/api/history_v2`',
    stated: 'on hosted',
    real: 'unknown paths on local',
    ours: 'like real servers',
    rules: ['deployments/paths-of-hosted'],
    refusals: ['unknownPath'],
  },
  {
    topic: '`/api/experiment/models`',
    stated: 'the hosted name of `/models`',
    real: 'also on local, with and without `/api`, and with richer items',
    ours: 'like real servers',
    rules: ['catalog/experiment-folders', 'catalog/experiment-models'],
  },
] as const satisfies readonly Difference[]
