// Wrong servers that mishandle everything around runs: the node manager, the log, settings, user data and the files of a front end.

import {
  answers,
  dropped,
  type Mutants,
  onJson,
  onReply,
  onText,
  stale,
  without,
} from './tamper.ts'

/** The value of a reply whose body is JSON text. */
const valueOf = ({ body }: { readonly body: unknown }): any => JSON.parse(String(body))

export const manager: Mutants = {
  'answers-when-off': { breaks: ['manager/off'], tamper: answers(/\/manager\//, 200) },
  'off-is-reported': { breaks: ['manager/off'], tamper: answers(/\/manager\//, 501) },
  'install-unknown': {
    breaks: ['manager/install'],
    tamper: answers(/^POST .*\/manager\/queue\/install$/, 404),
  },
  'install-model-unknown': {
    breaks: ['manager/install-model', 'manager/installed-model-listed'],
    tamper: answers(/^POST \/manager\/queue\/install_model/, 404),
  },
  'model-stays-unlisted': {
    breaks: ['manager/install-model', 'manager/installed-model-listed'],
    tamper: stale(/^GET \/models/),
  },
  'status-without-total': {
    breaks: ['manager/status', 'manager/status-counts'],
    tamper: onJson(/^GET \/manager/, (status) => without(status, 'total_count')),
  },
  'status-stands-still': {
    breaks: ['manager/status', 'manager/status-counts'],
    tamper: stale(/^GET \/manager/),
  },
  'path-leads-anywhere': {
    breaks: ['manager/path-stays-inside', 'manager/incomplete'],
    tamper: onReply(/^POST \/manager/, ({ status }) => ({ status: status === 400 ? 200 : status })),
  },
}

export const internal: Mutants = {
  'log-of-other-words': {
    breaks: ['internal/log'],
    tamper: onText(/^GET \/internal\/logs/, /has succeeded/g, 'is over'),
  },
  'log-as-lines': {
    breaks: ['internal/log-text'],
    tamper: onReply(/^GET \/internal\/logs$/, (reply) => ({ body: valueOf(reply) })),
  },
  'subscribers-receive-nothing': { breaks: ['internal/log-subscription'], tamper: dropped('logs') },
  'folders-without-paths': {
    breaks: ['internal/folder-paths'],
    tamper: onJson(/^GET \/internal\/folder_paths/, () => ({})),
  },
  'log-begins-now': {
    breaks: ['internal/log-lines'],
    tamper: onJson(/^GET \/internal\/logs\/raw/, (log) => ({ ...log, entries: [] })),
  },
  'anybody-subscribes': {
    breaks: ['internal/log-subscription-refusals'],
    tamper: answers(/^PATCH \/internal\/logs/, 200),
  },
  'alias-for-all': {
    breaks: ['internal/no-alias'],
    tamper: answers(/^GET \/api\/internal/, 200),
  },
  'files-of-any-folder': {
    breaks: ['internal/files-type'],
    tamper: answers(/^GET \/internal\/files/, 200),
  },
}

export const settings: Mutants = {
  'unset-is-404': { breaks: ['settings/unset'], tamper: answers(/^GET \/settings\//, 404) },
  'merge-replaces': {
    breaks: ['settings/merge'],
    tamper: onJson(/^GET \/settings$/, (settings) =>
      Object.fromEntries(Object.entries(settings).slice(-1)),
    ),
  },
  'merge-answers': {
    breaks: ['settings/merge'],
    tamper: onReply(/^POST \/settings$/, () => ({ body: '{}' })),
  },
  'one-through-javascript': {
    breaks: ['settings/one'],
    tamper: onReply(/^GET \/settings\//, (reply) => ({ body: JSON.stringify(valueOf(reply)) })),
  },
  'users-of-many': {
    breaks: ['settings/users'],
    tamper: onJson(/^GET \/users/, (users) => ({ ...users, storage: 'browser' })),
  },
}

export const userdata: Mutants = {
  'lists-are-empty': {
    breaks: ['userdata/list', 'userdata/list-forms'],
    tamper: onJson(/^GET \/userdata\?/, () => []),
  },
  'lists-show-all': {
    breaks: ['userdata/list-hides-dots'],
    tamper: onJson(/^GET \/userdata\?/, (names) => ['.hidden', ...names]),
  },
  'folders-are-empty': {
    breaks: ['userdata/browse'],
    tamper: onJson(/^GET \/v2\/userdata/, () => []),
  },
  'browses-anywhere': {
    breaks: ['userdata/browse-refusals'],
    tamper: answers(/^GET \/v2\/userdata/, 200),
  },
  'write-answers-nothing': {
    breaks: ['userdata/write', 'userdata/one-segment'],
    tamper: answers(/^POST \/userdata/, 200),
  },
  'read-without-type': {
    breaks: ['userdata/read'],
    tamper: onReply(/^GET \/userdata/, ({ headers }) => ({
      headers: without(headers, 'Content-Type'),
    })),
  },
  'delete-is-200': { breaks: ['userdata/delete'], tamper: answers(/^DELETE \/userdata/, 200) },
  'overwrite-is-free': {
    breaks: ['userdata/no-overwrite'],
    tamper: onReply(/^POST \/userdata/, ({ status }) => ({
      status: status === 409 ? 200 : status,
    })),
  },
  'outside-is-404': {
    breaks: ['userdata/stays-inside'],
    tamper: onReply(/\/userdata/, ({ status }) => ({ status: status === 403 ? 404 : status })),
  },
}
export const pages: Mutants = {
  'no-front-end': {
    breaks: [
      'pages/front-end',
      'pages/media-types',
      'pages/conditions',
      'pages/folder',
      'pages/not-recorded',
    ],
    options: { webRoot: null },
  },
  'no-templates': { breaks: ['pages/templates'], options: { templates: null } },
  'needs-no-token': { breaks: ['pages/access'], options: { token: null } },
  'lists-no-scripts': {
    breaks: ['pages/scripts'],
    tamper: onJson(/^GET \/extensions$/, () => []),
  },
}
