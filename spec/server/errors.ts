// Every refusal: when the server sends it, with which status and body. Then the errors of failed submits and runs.
// `{name}` in a text stands for a value that the server fills in.

import { maxWaiting } from './access.ts'
import { accountRefusals } from '../accounts/errors.ts'
export { assetRefusals, hostedAssetRefusals } from '../assets/errors.ts'
import type { Refusals } from '../language.ts'
import { coded, refusal } from '../refusal.ts'
import { object, text } from '../schema.ts'

/** Refusals of the local server: no common body format, most are empty or a fixed text. */
export const refusals = {
  internal: refusal(
    500,
    'The request has a form that its endpoint does not expect, such as broken JSON or a wrong JSON type.',
    {
      text: '500 Internal Server Error\n\nServer got itself in trouble',
      headers: { Connection: 'close' },
      raised: true,
    },
  ),
  internalPage: refusal(500, 'The same for a client whose Accept header names text/html.', {
    text: '<html><head><title>500 Internal Server Error</title></head><body>\n<h1>500 Internal Server Error</h1>\nServer got itself in trouble\n</body></html>\n',
    headers: { 'Content-Type': 'text/html; charset=utf-8', Connection: 'close' },
    raised: true,
  }),
  unknownPath: refusal(
    404,
    'GET or HEAD of a path that no route serves, or that only serves POST.',
    { headers: { 'Content-Type': 'application/octet-stream', 'Transfer-Encoding': 'chunked' } },
  ),
  methodNotAllowed: refusal(
    405,
    'A method that the path does not serve; an unknown path serves GET and HEAD.',
    { text: '405: Method Not Allowed', headers: { Allow: '{methods}' }, raised: true },
  ),
  notFoundEmpty: refusal(404, 'The file or the model folder does not exist.'),
  notFoundText: refusal(404, 'A path that leaves the root, or an unknown path below /internal/.', {
    text: '404: Not Found',
    raised: true,
  }),
  forbiddenText: refusal(
    403,
    'A folder among the files of a front end, or a file that cannot be read.',
    { text: '403: Forbidden', raised: true },
  ),
  forbiddenEmpty: refusal(
    403,
    'A subfolder outside its folder, or a foreign origin at a loopback address.',
  ),
  badRequestEmpty: refusal(400, 'The endpoint rejects a file name, a folder type or an upload.'),
  badRequestText: refusal(
    400,
    'Input that is not a valid HTTP request: an unknown method, a line that is too long, a broken body.',
    { text: '400: Bad Request', headers: { Connection: 'close' }, raised: true },
  ),
  preconditionFailed: refusal(
    412,
    'The entity tag of a file differs from If-Match, or the file is newer than If-Unmodified-Since.',
  ),
  rangeNotSatisfiable: refusal(
    416,
    'A Range of a file that is malformed, names several parts, or begins after its end.',
    {
      reason: 'Requested Range Not Satisfiable',
      headers: { 'Content-Range': 'bytes */{size}', 'Transfer-Encoding': 'chunked' },
    },
  ),
  expectation: refusal(417, 'A request with an Expect header other than 100-continue.', {
    text: 'Unknown Expect: {expected}',
    raised: true,
  }),
  jobsQuery: refusal(400, 'A list of jobs with a parameter that is not valid.', {
    json: { error: '{error}' },
  }),
  jobUnknown: refusal(404, 'The id of a job that neither the queue nor the history has.', {
    json: { error: 'Job not found' },
  }),
  jobsNotJson: refusal(400, 'A cancel of several jobs whose body is not valid JSON.', {
    json: { error: 'Request body must be valid JSON' },
  }),
  jobIdsMissing: refusal(400, 'The same without a list of ids.', {
    json: { error: 'job_ids must be a list' },
  }),
  bodyTooLarge: refusal(413, 'A request body above the configured limit.', {
    text: 'Maximum request body size {limit} exceeded.',
    reason: 'Request Entity Too Large',
    raised: true,
  }),
  queueFull: refusal(
    413,
    'A submit that takes the size or the number of all pending workflows beyond the limit.',
    { text: 'The queue is full: the limit for pending workflows is {limit}.' },
  ),
  bearerMissing: refusal(
    401,
    'The server is configured with a bearer token and the request carries no token or another one.',
    { text: '401: Unauthorized', headers: { 'WWW-Authenticate': 'Bearer' } },
  ),
  directoryMissing: refusal(400, 'A listing of user data without a folder.', {
    text: 'Directory not provided',
  }),
  directoryInvalid: refusal(403, 'A listing of user data outside the user folder.', {
    text: 'Invalid directory',
  }),
  directoryUnknown: refusal(404, 'A listing of user data in a folder that does not exist.', {
    text: 'Directory not found',
  }),
  pathInvalid: refusal(
    400,
    'The second version of that listing, for a path outside the user folder.',
    { text: 'Invalid path requested' },
  ),
  pathUnknown: refusal(404, 'The same for a path that does not exist.', {
    text: 'Requested path not found',
  }),
  pathNoDirectory: refusal(400, 'The same for a path that is a file.', {
    text: 'Requested path is not a directory',
  }),
  folderAsFile: refusal(403, 'A read of user data whose path is a folder.', {
    headers: { 'Content-Type': 'application/octet-stream', 'Transfer-Encoding': 'chunked' },
  }),
  fileExists: refusal(409, 'User data at an existing path, with overwrite=false.', {
    text: 'File already exists',
  }),
  fileNotWritten: refusal(
    400,
    'User data with a name that no file can have, or more user data than fits.',
    { reason: 'Invalid filename. Please avoid special characters like :\\/*?"<>|' },
  ),
  duplicateUser: refusal(400, 'A new user with an existing name.', {
    json: { error: 'Duplicate username.' },
  }),
  userNameMissing: refusal(400, 'A new user with a blank name, on a server of 2026.', {
    json: { error: 'username not provided' },
  }),
  userNameReserved: refusal(
    400,
    'A new user with a name that begins with two underscores, on a server of 2026.',
    { json: { error: 'System User prefix not allowed' } },
  ),
  directoryType: refusal(400, 'A listing of a folder that is not input, output or temp.', {
    json: { error: 'Invalid directory type' },
  }),
  socketWithoutUpgrade: refusal(400, 'GET /ws without the headers of a WebSocket handshake.', {
    text: 'No WebSocket UPGRADE hdr: {upgrade}\n Can "Upgrade" only to "WebSocket".',
    raised: true,
  }),
  socketWithoutConnection: refusal(
    400,
    'A WebSocket handshake whose Connection does not name the upgrade.',
    { text: 'No CONNECTION upgrade hdr: {connection}', raised: true },
  ),
  socketVersion: refusal(400, 'A WebSocket handshake of a version other than 13, 8 and 7.', {
    text: 'Unsupported version: {version}',
    raised: true,
  }),
  socketKey: refusal(400, 'A WebSocket handshake whose key is missing or malformed.', {
    text: 'Handshake error: {key}',
    raised: true,
  }),
} as const satisfies Refusals

/** The body of a refusal of the hosted server. */
export const hostedError = object({ code: text, message: text })

const hostedRefusal = coded((code, message) => ({ json: { code, message } }))

/** Refusals of the hosted server: a JSON object with `code` and `message`. */
export const hostedRefusals = {
  unauthorized: hostedRefusal(401, 'The key is missing or unknown, on a path that requires one.', {
    UNAUTHORIZED: 'A valid API key is required.',
  }),
  freeTier: hostedRefusal(403, 'An account of the free tier on a paid-tier path.', {
    FORBIDDEN: 'This requires a subscription: free tier account.',
  }),
  foreignJob: hostedRefusal(
    403,
    'A job of another account, with the quirk `hosted.foreign-job-403`.',
    { FORBIDDEN: 'This job belongs to another account.' },
  ),
  notFound: hostedRefusal(
    404,
    'An unknown path, job or file, or one that belongs to another account.',
    { NOT_FOUND: 'Not found.' },
  ),
  folderNotFound: hostedRefusal(404, 'A model folder that is unknown or holds no model.', {
    folder_not_found: 'No such model folder: {folder}',
  }),
  methodNotAllowed: hostedRefusal(
    405,
    'A path that exists, with a method that it does not support; Allow lists the supported methods.',
    { METHOD_NOT_ALLOWED: 'Method not allowed.' },
  ),
  storageFull: hostedRefusal(413, 'An upload that exceeds what the server stores in total.', {
    STORAGE_FULL: 'The uploads exceed the storage limit of {limit} bytes.',
  }),
  badRequest: hostedRefusal(
    400,
    'A request without a required value, or an upload above the limits.',
    { BAD_REQUEST: '{reason}' },
  ),
  bodyTooLarge: hostedRefusal(413, 'A request body above the configured limit.', {
    PAYLOAD_TOO_LARGE: 'The limit is {limit} bytes.',
  }),
  ...accountRefusals,
  internal: {
    ...hostedRefusal(500, 'The server fails.', { INTERNAL_ERROR: 'The server failed.' }),
    headers: { Connection: 'close' },
  },
  userFileUnknown: refusal(404, 'User data at a path where no file exists.', {
    text: 'File not found.',
  }),
  userFolderUnknown: refusal(404, 'A listing of user data in a folder that does not exist.', {
    text: 'Folder not found.',
  }),
  userFolderOutside: refusal(400, 'A listing of user data outside the user folder.', {
    text: 'The folder is outside the user data.',
  }),
  userPathOutside: refusal(403, 'A user file at a path that leaves the user folder.', {
    text: 'The path is outside the user data.',
  }),
  userFileExists: refusal(409, 'User data at an existing path, with overwrite=false.', {
    text: 'The file already exists.',
  }),
  userFileRefused: refusal(
    400,
    'User data with a name that no file can have, or more user data than fits.',
    { text: 'The file cannot be stored under this name.' },
  ),
} as const satisfies Refusals

const headers = { 'Content-Type': 'application/xml; charset=UTF-8' }
const linkRefusal = coded(
  (code, message) => ({
    text: `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  }),
  { headers },
)

/** Refusals of the host of signed links, in the format of an object storage. */
export const linkRefusals = {
  linkChanged: linkRefusal(
    403,
    'A link without a signature, or with the signature of another link or host.',
    { SignatureDoesNotMatch: 'The signature does not match this link.' },
  ),
  linkExpired: linkRefusal(400, 'A signed link that has expired.', {
    ExpiredToken: 'The link has expired: {expiry}',
  }),
  linkWithKey: linkRefusal(
    403,
    'A signed link that is sent with X-API-Key or Authorization, where links are strict.',
    { AccessDenied: 'The link needs no credentials: do not send {header}.' },
  ),
  linkOfNothing: linkRefusal(404, 'A signed link to a file that no longer exists.', {
    NoSuchKey: 'The file no longer exists.',
  }),
  linkTooLarge: linkRefusal(400, 'A PUT to a signed link with more bytes than the server stores.', {
    EntityTooLarge: 'The limit is {limit} bytes.',
  }),
  linkMethod: {
    ...linkRefusal(405, 'A signed link with a method other than GET, HEAD and OPTIONS.', {
      MethodNotAllowed: 'A signed link is read-only.',
    }),
    headers: { ...headers, Allow: 'GET,HEAD,OPTIONS' },
  },
} as const satisfies Refusals

/** The body of a hosted submit that the plan or queue of the account rejects: clients act on its `type`. */
export const planRefusal = object({ error: object({ type: text, message: text }) })

const rejection = coded((type, message) => ({ json: { error: { type, message } } }))

/** Rejections of a hosted submit by the plan or queue of the account. They leave no run behind. */
export const planRefusals = {
  freeTier: rejection(402, 'A submit of a free account, with the quirk `hosted.free-tier-402`.', {
    PAYMENT_REQUIRED: 'Running workflows requires a paid plan.',
  }),
  subscriptionInactive: rejection(
    402,
    'The subscription is inactive, with the quirk `hosted.refuse-at-submit`.',
    { CLOUD_SUBSCRIPTION_REQUIRED: 'The subscription of this account is not active.' },
  ),
  fundsMissing: rejection(
    402,
    'The balance is too low for the partner nodes, with the quirk `hosted.refuse-at-submit`.',
    {
      PARTNER_NODE_PAYMENT_REQUIRED:
        'The balance is too low for the partner nodes of this workflow.',
    },
  ),
  queueFull: rejection(
    429,
    `${maxWaiting} runs of the account wait, with the quirk \`hosted.refuse-at-submit\`; or the waiting runs ` +
      'reach the size that the server stores.',
    { QUEUE_LIMIT: 'Too many of your runs are waiting.' },
  ),
} as const satisfies Refusals

/** The top-level `error` of a rejected submit (status 400); `extra_info` is empty in each. */
export const promptErrors = {
  noPrompt: {
    type: 'no_prompt',
    message: 'No prompt provided',
    details: 'No prompt provided',
    when: 'The body has no key `prompt`.',
  },
  missingClassType: {
    type: 'invalid_prompt',
    message: 'Cannot execute because a node is missing the class_type property.',
    details: "Node ID '#{node_id}'",
    when: 'A node has no class_type.',
  },
  unknownClassType: {
    type: 'invalid_prompt',
    message: 'Cannot execute because node {class_type} does not exist.',
    details: "Node ID '#{node_id}'",
    when: 'The class_type of a node is not a known node type.',
  },
  untypedNode: {
    type: 'missing_node_type',
    message:
      "Node '{title}' has no class_type. The workflow may be corrupted or a custom node is missing.",
    details: "Node ID '#{node_id}'",
    when: 'The same on a later local server.',
  },
  missingNodeType: {
    type: 'missing_node_type',
    message: "Node '{title}' not found. The custom node may not be installed.",
    details: "Node ID '#{node_id}'",
    when: 'The class_type of a node is not a known node type, on a later local server.',
  },
  invalidPromptId: {
    type: 'invalid_prompt_id',
    message: 'prompt_id must be a valid UUID',
    details:
      'prompt_id must be a UUID string in canonical lowercase hyphenated form; omit it to let the server generate one',
    when: 'The prompt_id is not a UUID in its canonical form, on a later local server.',
  },
  noOutputs: {
    type: 'prompt_no_outputs',
    message: 'Prompt has no outputs',
    details: '',
    when: 'No node is an output node, or none of the requested ones is.',
  },
  outputsFailed: {
    type: 'prompt_outputs_failed_validation',
    message: 'Prompt outputs failed validation',
    details: '{message}: {details}, with a line for each error of the output nodes themselves',
    when: 'No output node is valid.',
  },
} as const

/** The entries of `node_errors[id].errors`, by `type`. */
export const nodeErrors = {
  required_input_missing: {
    message: 'Required input is missing',
    details: '{input}',
    extra: ['input_name'],
    when: 'A required input has no value.',
  },
  bad_linked_input: {
    message: 'Bad linked input, must be a length-2 list of [node_id, slot_index]',
    details: '{input}',
    extra: ['input_name', 'input_config', 'received_value'],
    when: 'An input value is an array whose length is not two.',
  },
  return_type_mismatch: {
    message: 'Return type mismatch between linked nodes',
    details: '{input}, received_type({received}) mismatch input_type({expected})',
    extra: ['input_name', 'input_config', 'received_type', 'linked_node'],
    when: 'The type of the linked output differs from that of the input.',
  },
  invalid_input_type: {
    message: 'Failed to convert an input value to a {type} value',
    details: '{input}, {value}, {exception}',
    extra: ['input_name', 'input_config', 'received_value', 'exception_message'],
    when: 'A literal cannot be converted to the declared INT, FLOAT, STRING or BOOLEAN.',
  },
  value_smaller_than_min: {
    message: 'Value {value} smaller than min of {min}',
    details: '{input}',
    extra: ['input_name', 'input_config', 'received_value'],
    when: 'A number is below the declared minimum.',
  },
  value_bigger_than_max: {
    message: 'Value {value} bigger than max of {max}',
    details: '{input}',
    extra: ['input_name', 'input_config', 'received_value'],
    when: 'A number is above the declared maximum.',
  },
  value_not_in_list: {
    message: 'Value not in list',
    details: "{input}: '{value}' not in {list}",
    extra: ['input_name', 'input_config', 'received_value'],
    when: 'A combo value is not among the declared options.',
  },
  custom_validation_failed: {
    message: 'Custom validation failed for node',
    details: '{input} - {text}',
    extra: ['input_name'],
    when: 'The check of the node type rejects the value, such as a missing input file.',
  },
  exception_during_validation: {
    message: 'Exception when validating node',
    details: '{exception}',
    extra: ['exception_type', 'traceback'],
    when:
      'Validation of an output node raises an exception, such as at a link to a missing node; or a run fails with ' +
      'ValidationError.',
  },
  exception_during_inner_validation: {
    message: 'Exception when validating inner node',
    details: '{exception}',
    extra: [
      'input_name',
      'input_config',
      'exception_message',
      'exception_type',
      'traceback',
      'linked_node',
    ],
    when: 'Validation of a node upstream of an output raises an exception.',
  },
  missing_node_type: {
    message: 'Cannot execute because node {class_type} does not exist.',
    details: "Node ID '#{node_id}'",
    extra: ['node_id', 'class_type'],
    when: 'A node without class_type, or with an unknown one (our decision; real servers name no node).',
  },
  dependency_cycle: {
    message: 'Dependency cycle detected',
    details: '{path}',
    extra: ['node_id', 'cycle_nodes'],
    when: 'A node is part of a cycle (our decision; real servers name no node).',
  },
} as const

/** `exception_type` of a hosted `execution_error`, with its meaning. */
export const exceptionTypes = {
  ValidationError: 'The workflow or its inputs are bad; `node_errors` has the details.',
  ModelDownloadError: 'A model that the workflow needs is not available.',
  ImageDownloadError: 'An input image could not be downloaded from its address.',
  OOMError: 'The GPU is out of memory.',
  InsufficientFundsError: 'The balance of the account is too low for a partner node.',
  InactiveSubscriptionError: 'The subscription of the account is not active.',
} as const

export type ExceptionType = keyof typeof exceptionTypes

/** The Python exceptions that stand for these words when a server uses Python names (a quirk). */
export const pythonNames = {
  ValidationError: 'ValueError',
  ModelDownloadError: 'FileNotFoundError',
  ImageDownloadError: 'requests.exceptions.ConnectionError',
  OOMError: 'torch.cuda.OutOfMemoryError',
  InsufficientFundsError: 'Exception',
  InactiveSubscriptionError: 'Exception',
} as const satisfies Record<ExceptionType, string>

/** `exception_type` of a local `execution_error`: Python class names, built-in ones without a module. */
export const localExceptionTypes = {
  ValueError: 'An input has a value that the node cannot use.',
  TypeError: 'An input has a type that the node cannot use.',
  KeyError: 'A key, such as the id of a linked node, does not exist.',
  RuntimeError: 'A calculation of the node fails.',
  FileNotFoundError: 'A file that the node reads does not exist.',
  Exception: 'A failure without a specific class, such as a partner node without its key.',
  'torch.OutOfMemoryError': 'The GPU is out of memory.',
} as const

/** The messages of Python exceptions that are always the same, as real servers send them. */
export const pythonMessages: Readonly<Record<string, string>> = {
  'torch.OutOfMemoryError': 'Allocation on device',
  'torch.cuda.OutOfMemoryError': 'Allocation on device',
}
