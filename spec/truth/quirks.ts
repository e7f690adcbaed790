// Behaviours in which real servers and the description disagree: each is switched on by its name.

import { maxWaiting } from '../server/access.ts'
import { both, gateway, hosted, local, type Quirk, type Quirks } from '../language.ts'

const quirksOn = <On extends Quirk['on'], Rows extends Readonly<Record<string, Omit<Quirk, 'on'>>>>(
  on: On,
  rows: Rows,
) =>
  Object.fromEntries(Object.entries(rows).map(([id, row]) => [id, { on, ...row }])) as {
    readonly [Id in keyof Rows]: Rows[Id] & { readonly on: On }
  }

export const quirks = {
  ...quirksOn(both, {
    'workflows.bare-graph-errors': {
      default:
        'The reply to a rejected submit names the invalid node in `node_errors`, also for classes and cycles.',
      quirk: 'An unknown or missing class_type and a cycle leave `node_errors` empty.',
      source: 'ComfyUI 0.3.64',
    },
    'workflows.invalid-is-200': {
      default: 'A workflow without a valid output returns 400, without `prompt_id`.',
      quirk:
        'It returns 200 with `prompt_id`, `number` and `node_errors`, and nothing runs; on hosted the ' +
        'job of that id has failed.',
      source: 'the description, read literally; hosted servers as clients saw them',
    },
  }),
  ...quirksOn(local, {
    'queue.poison-kills-worker': {
      default: 'A request that breaks the worker of a real server fails only its run.',
      quirk: 'That run stays in `queue_running` forever and later runs stay pending.',
      source: 'ComfyUI 0.3.64',
    },
    'queue.heap-order': {
      default:
        'Pending runs are listed and executed by number, equal numbers in the order of their submits.',
      quirk: 'Equal numbers are executed by their id as text, and the listing is in heap order.',
      source: 'ComfyUI 0.3.64; ComfyUI 0.27.0',
    },
    'local.notification': {
      default: 'A run sends `notification` only when a test node requests it.',
      quirk: 'Each run sends a `notification` after `execution_start`, as on hosted.',
      source: 'the description, which lists it for both deployments',
    },
    'local.video-under-images': {
      default: 'Videos appear in the outputs under `videos`.',
      quirk: 'Videos appear under `images`, with `animated` beside them.',
      source: 'ComfyUI 0.3.64; ComfyUI 0.27.0',
    },
    'local.queue-shows-partner-key': {
      default: 'The queue listing contains no partner key.',
      quirk: 'The queue listing contains `extra_data` with the partner key.',
      source: 'ComfyUI 0.3.64',
    },
    'local.zombie-socket': {
      default:
        'Of two sockets with one client id the newest receives, whatever the older one does.',
      quirk: 'When the older one closes, the newest receives nothing more, not even broadcasts.',
      source: 'ComfyUI 0.3.64; ComfyUI 0.27.0',
    },
    'history.completed-on-error': {
      default: 'The history entry of a failed run has `completed` false.',
      quirk: 'It has `completed` true beside the `status_str` "error".',
      source: 'the description, which calls it possible',
    },
  }),
  ...quirksOn(hosted, {
    'hosted.python-exception-names': {
      default: '`exception_type` of a failed run is one of six words.',
      quirk: 'The job detail contains the name of a Python exception.',
      source: 'published hosted API, 2026',
    },
    'hosted.refuse-at-submit': {
      default: 'Missing funds and inactive subscriptions fail an accepted run.',
      quirk: `The submit returns 402, or 429 if ${maxWaiting} runs of the account wait.`,
      source: 'published hosted API, 2026',
    },
    'hosted.executing-null': {
      default: 'The server does not send `executing` with node null.',
      quirk: 'It ends each run, as on a local server.',
      source: 'published hosted API, 2026',
    },
    'hosted.partner-key-is-api-key': {
      default: 'Partner nodes accept the partner key of the account and reject its API key.',
      quirk: 'The API key itself is the partner key.',
      source: 'published guides of the hosted API, 2026',
    },
    'hosted.public-catalogues': {
      default: 'Only the system statistics need no key.',
      quirk: 'Features, models, previews, templates, subgraphs and packs need no key either.',
      source: 'published hosted API, 2026',
    },
    'hosted.bearer': {
      default: 'The server accepts the API key only in `X-API-Key`.',
      quirk: 'The server also accepts it as `Authorization: Bearer`.',
      source: 'published hosted API, 2026',
    },
    'hosted.free-tier-402': {
      default: 'A free account receives 403 on paid-tier paths.',
      quirk: 'It receives 402 on submit, and can use the other paths.',
      source: 'published hosted API, 2026',
    },
    'hosted.no-per-class': {
      default: 'A single node type is readable by its name.',
      quirk: 'The path of a single node type returns 404.',
      source: 'published hosted API, 2026',
    },
    'hosted.no-free': {
      default: 'POST /api/free returns 200.',
      quirk: 'The path returns 404.',
      source: 'published hosted API, 2026',
    },
    'hosted.history-as-map': {
      default: 'The history is an array under the key `history`.',
      quirk: 'It is an object keyed by run id, as on a local server.',
      source: 'the description, read literally',
    },
    'hosted.status-raw-states': {
      default: 'The job status is one of the five words.',
      quirk: 'It is an internal state: `submitted`, `executing`, `success`, `error` and others.',
      source: 'published guides of the hosted API, 2026',
    },
    'hosted.silent-pending-cancel': {
      default: 'A run that is cancelled before it starts sends `execution_interrupted`.',
      quirk: 'It sends nothing.',
      source: 'clients of the hosted API',
    },
    'hosted.interrupt-all': {
      default:
        'An interrupt cancels the oldest running run of the account, or the one that it names.',
      quirk: 'It cancels all running runs of the account, whichever run it names.',
      source: 'published hosted API, 2026, first revision',
    },
    'hosted.delete-running': {
      default: 'Deleting from the queue affects pending runs only.',
      quirk: 'It cancels running runs too.',
      source: 'published hosted API, 2026, second revision',
    },
    'hosted.view-channel-bytes': {
      default: 'A view always returns a redirect.',
      quirk: 'With `channel` or `res` it returns 200 with the image.',
      source: 'published hosted API, 2026',
    },
    'hosted.foreign-job-403': {
      default: 'The run of another account returns 404.',
      quirk:
        'GET of /api/jobs/{prompt_id} and of /api/job/{prompt_id}/status returns 403, other paths 404.',
      source: 'published hosted API, 2026, first revision',
    },
    'hosted.no-v2': {
      default: 'The hosted server also serves the hosted API v2.',
      quirk: 'Paths below /api/v2 return 404.',
      source: 'published hosted API, 2026',
    },
    'hosted.v2-no-labels': {
      default: 'The hosted API v2 keeps labels of jobs, and lists jobs, as deployments do.',
      quirk:
        'A submit with labels returns 422 `metadata_not_supported`, and the list returns 501, as on the cloud.',
      source: 'hosted service, 2026',
    },
    'hosted.v2-no-streams': {
      default: 'The hosted API v2 streams the events of a job.',
      quirk: 'The path of the events returns 501 `not_implemented`.',
      source: 'published hosted API, 2026, v2',
    },
    'hosted.v2-public-demo': {
      default: 'The hosted API v2 and the Router need the key of an account.',
      quirk:
        'A request without a key acts for the first account: its list of jobs returns 403 ' +
        '`public_deployment_no_list`, its submit with labels 422 `metadata_not_supported`.',
      source: 'clients of hosted API v2: comfy-sdk 0.5.0',
    },
    'hosted.v2-bad-graph-fails': {
      default: 'A graph that cannot run is refused by the hosted API v2 with 422.',
      quirk: 'It becomes a job that fails, as on deployments.',
      source: 'clients of hosted API v2: comfy-cli 1.23.0',
    },
  }),
  ...quirksOn(gateway, {
    'webhooks.crash-500': {
      default: 'A body that is not a JSON object returns 400.',
      quirk:
        'What its handler fails on returns 500: undecodable bytes, arrays and scalars without an event header, deep ' +
        'nesting, huge integers, an {event_type} or deliver_extra of another type; broken JSON and forms become fields.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.cut-prompt': {
      default: 'A prompt contains the whole payload.',
      quirk: 'A payload is cut to 4000 characters, an object or list in it to 2000.',
      source: 'reference gateway, 2026',
    },
    'webhooks.reload-only-newer': {
      default: 'The gateway reloads the subscriptions file when its modification time differs.',
      quirk: 'It reloads the file only when that time is later.',
      source: 'reference gateway, 2026',
    },
    'webhooks.env-needs-enabled': {
      default: 'Port and secret of the environment apply on their own.',
      quirk: 'They are ignored unless WEBHOOK_ENABLED is set there too.',
      source: 'reference gateway, 2026',
    },
    'webhooks.cli-ignores-env': {
      default: 'The commands read .env and the environment as the gateway does.',
      quirk: 'They read config.yaml only.',
      source: 'reference gateway, 2026',
    },
    'webhooks.origin-undeliverable': {
      default: 'The target `origin` delivers to the recorded place, or to the outbox.',
      quirk: 'Every delivery to `origin` fails.',
      source: 'reference gateway, 2026',
    },
    'webhooks.comment-needs-extra': {
      default: 'A comment uses repository and number from the payload if the route lacks them.',
      quirk: 'Without both in deliver_extra the delivery fails.',
      source: 'reference gateway, 2026',
    },
    'webhooks.skill-replaces-message': {
      default: 'A direct delivery ignores the skills of its route.',
      quirk: 'The text of the first skill is delivered, wrapped around the message.',
      source: 'reference gateway, 2026',
    },
    'webhooks.global-ids': {
      default: 'A delivery id is known only to its own route.',
      quirk: 'An id that one route received is a duplicate at every route.',
      source: 'reference gateway, 2026',
    },
    'webhooks.millisecond-ids': {
      default: 'A post without an id is assigned a unique one.',
      quirk:
        'Its id is the time in milliseconds, so that one of two simultaneous posts is a duplicate.',
      source: 'reference gateway, 2026',
    },
    'webhooks.empty-id': {
      default: 'An empty delivery id header counts as absent.',
      quirk: 'The first header that is present is the id, even if it is empty.',
      source: 'reference gateway, 2026',
    },
    'webhooks.unbounded-runs': {
      default: 'A post that exceeds the limit of waiting runs returns 503 with Retry-After.',
      quirk: 'Every post is accepted, however many runs wait.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.short-retries': {
      default:
        'An answer is retried for about 16 minutes after network errors, 408, 429 and 5xx; other statuses are final.',
      quirk:
        'It is retried in 2 and in 4 seconds after a network error, once as plain text after any other one.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.duplicate-after-502': {
      default: 'A direct delivery that failed is retried when its post is sent again.',
      quirk: 'The retry returns 200 as a duplicate and is not delivered.',
      source: 'reference gateway, 2026',
    },
    'webhooks.insecure-no-auth': {
      default: 'The secret INSECURE_NO_AUTH counts as a missing secret.',
      quirk: 'On a loopback host it switches validation off.',
      source: 'reference gateway, 2026',
    },
    'webhooks.fewer-schemes': {
      default: 'All schemes of the table are understood, with the ids and events of their senders.',
      quirk:
        'Svix, X-Hub-Signature-256, X-Gitlab-Token and the generic ones are; the headers of the others count as no ' +
        'signature, and webhook-id, Linear-Delivery, Idempotency-Key and ids in payloads as no id; routes name no scheme.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.lenient-signatures': {
      default:
        'A signed time is decimal digits, ASCII blanks part signatures, `whsec_` alone is not a key.',
      quirk:
        'A signed time is what Python reads as an integer, blanks of any kind part signatures, `whsec_` is the empty key.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.unpacked-body': {
      default: 'The signature of a packed body covers it as it came, or unpacked.',
      quirk: 'A body in gzip or deflate is unpacked before its signature and its size are checked.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.profile-paths': {
      default: '/p/<profile>/webhooks/<name> is 404, as any other path.',
      quirk: 'It is a path of the route <name> too, whatever the profile.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.plain-health': {
      default: '/health returns how many agent runs are at work and wait, and what is wrong.',
      quirk:
        'It returns `status` and `platform` only, and /ready and /metrics are 404, as any other path.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.python-json': {
      default: 'Answers are JSON in UTF-8, in which a number that JSON cannot write is null.',
      quirk:
        'Answers are in ASCII, with NaN and Infinity, and with bytes of headers that are not UTF-8 as surrogates; a ' +
        'heading shows an event that is not a text as Python prints it.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.events-as-written': {
      default: 'Event types of a filter are trimmed, and one text is split at its commas.',
      quirk:
        'They are compared as they are written, and of one text any part matches; `webhook subscribe` keeps empty pieces ' +
        'of events and skills.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.empty-extra': {
      default:
        'An empty text in deliver_extra stays empty, and {event_type} is the event type there.',
      quirk: 'An empty text becomes the text of a route without a prompt; {event_type} is empty.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.empty-route': {
      default: 'A static route without any member takes posts with the global secret.',
      quirk: 'It returns 404, like an unknown name.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.subscribe-shadowed': {
      default: 'Subscribing the name of a static route is rejected.',
      quirk: 'It reports success, and the static route stays in effect.',
      source: 'reference gateway, 2026',
    },
    'webhooks.update-rotates-secret': {
      default: 'Subscribing a name again keeps its secret and creation time.',
      quirk: 'It generates a new secret, and the time is that of the update.',
      source: 'reference gateway, July 2026',
    },
    'webhooks.list-hides-secrets': {
      default: '`webhook list` prints the secrets.',
      quirk: 'It never prints them, nor static routes.',
      source: 'reference gateway, 2026',
    },
  }),
} as const satisfies Quirks

export type QuirkId = keyof typeof quirks
