// Which rules are behind each answer: those of an endpoint behind what it returns, those of a refusal behind the refusal.
// Only `explain` loads this. A rule of another deployment than the answer's is left out.

import {
  accountAnswers,
  badOfAccounts,
  ofOauth,
  refusalsOfAccounts,
  unknownOfAccounts,
} from './accounts/answers.ts'
import type {
  gatewayRefusals,
  outcomes,
  endpoints as gatewayEndpoints,
} from './gateway/webhooks.ts'
import type { RuleId } from './rules.ts'
import type { EndpointName } from './server/endpoints.ts'
import type {
  assetRefusals,
  hostedAssetRefusals,
  hostedRefusals,
  linkRefusals,
  nodeErrors,
  planRefusals,
  promptErrors,
  refusals,
} from './server/errors.ts'
import type { MessageType } from './server/messages.ts'
import type { QuirkId } from './truth/quirks.ts'
import type { routerRefusals } from './router/errors.ts'
import type { v2Refusals } from './v2/errors.ts'
import type { partnerRefusals } from './partner/errors.ts'

/** A rule, or the behaviour of a quirk. */
export type AnswerId = RuleId | `quirks/${QuirkId}`
export type Ids = readonly AnswerId[]

/** An endpoint whose answers are not all in a table of outcomes, as those of a webhook are. */
type Answering = EndpointName | Exclude<keyof typeof gatewayEndpoints, 'webhook'>

/** The rules behind what an endpoint returns when it does not refuse. */
export const endpointRules: Readonly<Record<Answering, Ids>> = {
  ...accountAnswers,
  submit: ['workflows/submit-queues', 'workflows/reply', 'workflows/replaced'],
  jobStatus: ['jobs/status', 'jobs/status-final', 'jobs/status-details'],
  jobs: ['jobs/listing', 'jobs/listing-filters', 'jobs/listing-order', 'jobs/listing-pages'],
  job: ['jobs/detail', 'jobs/detail-while-open', 'jobs/detail-times', 'jobs/detail-workflow'],
  deleteJob: ['jobs/delete'],
  cancelJob: ['jobs/cancel'],
  cancelJobs: ['jobs/cancel-many'],
  localJobs: [
    'local-jobs/listing',
    'local-jobs/listing-filters',
    'local-jobs/listing-order',
    'local-jobs/listing-ties',
    'local-jobs/listing-pages',
  ],
  localJob: ['local-jobs/detail', 'local-jobs/status'],
  cancelLocalJob: ['local-jobs/cancel'],
  cancelLocalJobs: ['local-jobs/cancel-many', 'local-jobs/cancel-many-body'],
  readHistory: [
    'history/kept',
    'history/by-id',
    'history/max-items',
    'history/oldest-first',
    'history/hosted-list',
    'history/hosted-list-entry',
    'history/hosted-pages',
  ],
  readHistoryEntry: ['history/by-id', 'history/unknown', 'history/hosted-by-id'],
  changeHistory: ['history/clear', 'history/hosted-clear'],
  // Conditions and ranges are applied to the file after its rules are named.
  view: [
    'files/view',
    'files/view-headers',
    'files/view-guarded',
    'files/view-as-image',
    'files/view-conditional',
    'files/view-range',
    'files/view-converted',
    'files/hosted-view',
    'files/hosted-view-flat',
  ],
  uploadImage: ['files/upload', 'files/upload-reply', 'files/hosted-upload-name'],
  uploadMask: ['files/mask', 'files/mask-alpha', 'files/hosted-mask'],
  maskLayers: ['files/hosted-mask-layers'],
  socket: ['deployments/local-socket', 'deployments/hosted-socket'],
  objectInfo: ['catalog/node-types', 'catalog/node-type-fields'],
  objectInfoOf: [
    'catalog/one-node-type',
    'catalog/unknown-node-type',
    'catalog/hosted-unknown-node-type',
  ],
  modelFolders: [
    'catalog/model-folders',
    'catalog/more-folders',
    'catalog/newest-folders',
    'catalog/hosted-folders',
  ],
  models: ['catalog/models', 'catalog/hosted-models'],
  experimentModelFolders: ['catalog/experiment-folders', 'catalog/experiment-extensions'],
  experimentModels: ['catalog/experiment-models'],
  modelPreview: ['catalog/hosted-preview', 'catalog/model-preview'],
  modelMetadata: ['catalog/model-metadata'],
  embeddings: ['catalog/embeddings'],
  extensions: ['catalog/no-packs', 'catalog/hosted-nothing-shared'],
  translations: ['catalog/no-packs'],
  workflowTemplates: ['catalog/no-packs', 'catalog/hosted-nothing-shared'],
  listAssets: ['assets/list', 'assets/list-pages', 'assets/list-sort', 'assets/cursor'],
  uploadAsset: [
    'assets/upload',
    'assets/upload-tagged',
    'assets/upload-name',
    'assets/upload-again',
    'assets/no-hashing',
  ],
  assetFromHash: ['assets/from-hash'],
  assetByHash: ['assets/by-hash'],
  assetTagCounts: ['assets/tag-counts'],
  scanAssets: ['assets/scan', 'assets/scan-roots', 'assets/scan-messages'],
  assetScan: ['assets/scan-state'],
  cancelAssetScan: ['assets/scan-state'],
  pruneAssets: ['assets/scan-state', 'assets/prune-temporary'],
  readAsset: [
    'assets/read',
    'assets/fields',
    'assets/filename',
    'assets/times',
    'assets/older-members',
    'assets/newer-members',
  ],
  changeAsset: ['assets/change'],
  deleteAsset: ['assets/delete'],
  assetContent: ['assets/content', 'assets/content-active'],
  addAssetTags: ['assets/add-tags'],
  removeAssetTags: ['assets/remove-tags'],
  listTags: ['assets/tags', 'assets/tags-query', 'assets/first-tags'],
  hostedAssets: [
    'hosted-assets/list',
    'hosted-assets/list-tags',
    'hosted-assets/list-filters',
    'hosted-assets/list-public',
    'hosted-assets/cursor',
    'hosted-assets/bounds',
  ],
  hostedUpload: [
    'hosted-assets/upload',
    'hosted-assets/upload-again',
    'hosted-assets/upload-tags',
    'hosted-assets/upload-fields',
    'hosted-assets/model',
  ],
  hostedFromHash: ['hosted-assets/from-hash'],
  hostedByHash: ['hosted-assets/by-hash'],
  hostedTagCounts: ['hosted-assets/tag-counts'],
  hostedReadAsset: [
    'hosted-assets/read',
    'hosted-assets/fields',
    'hosted-assets/loader-path',
    'hosted-assets/of-upload',
    'hosted-assets/of-run',
    'hosted-assets/of-v2',
  ],
  hostedChangeAsset: ['hosted-assets/change'],
  hostedDeleteAsset: ['hosted-assets/delete'],
  hostedContent: ['hosted-assets/content'],
  hostedAddTags: ['hosted-assets/add-tags'],
  hostedRemoveTags: ['hosted-assets/remove-tags'],
  hostedTags: ['hosted-assets/tags'],
  remoteMetadata: ['tasks/remote-metadata', 'tasks/scripted'],
  downloadAsset: ['tasks/download', 'tasks/download-known', 'tasks/same', 'tasks/clock'],
  exportAssets: ['tasks/export', 'tasks/export-names', 'tasks/same', 'tasks/clock'],
  assetExport: ['tasks/export-link'],
  importAssets: ['tasks/import'],
  workflowAssets: ['tasks/from-workflow'],
  tasks: ['tasks/list', 'tasks/bounds'],
  task: ['tasks/one', 'tasks/download-failed', 'tasks/export-nothing'],
  cancelTask: ['tasks/cancel'],
  localSubgraphs: ['catalog/subgraphs'],
  localSubgraph: ['catalog/subgraph'],
  localReplacements: ['catalog/replacements'],
  nodePage: ['catalog/node-page'],
  globalSubgraphs: ['catalog/hosted-nothing-shared'],
  globalSubgraph: ['catalog/hosted-nothing-shared'],
  nodeReplacements: ['catalog/hosted-nothing-shared'],
  readQueue: ['queue/listing', 'queue/item', 'queue/by-number', 'queue/hosted-item'],
  changeQueue: ['queue/clear', 'queue/delete', 'queue/running-is-spared', 'queue/hosted-result'],
  interrupt: [
    'queue/interrupt',
    'queue/interrupt-named',
    'queue/idle-interrupt-is-lost',
    'queue/hosted-interrupt',
    'queue/hosted-interrupt-named',
  ],
  systemStats: [
    'system/statistics',
    'system/statistics-fields',
    'system/hosted-statistics',
    'access/hosted-public-statistics',
  ],
  free: ['system/free', 'system/free-reply', 'system/hosted-free'],
  features: [
    'system/features',
    'system/feature-flags',
    'system/own-flags',
    'system/hosted-features',
  ],
  promptInfo: ['system/queue-length'],
  sendFeedback: ['system/hosted-feedback'],
  home: ['system/home'],
  listUserdata: [
    'userdata/list',
    'userdata/list-forms',
    'userdata/hosted-list',
    'userdata/hosted-list-folder',
  ],
  browseUserdata: ['userdata/browse'],
  readUserdata: [
    'userdata/read',
    'userdata/download',
    'userdata/user-style',
    'userdata/hosted-read',
  ],
  writeUserdata: ['userdata/write', 'userdata/full-info', 'userdata/hosted-write'],
  deleteUserdata: ['userdata/delete', 'userdata/hosted-delete'],
  moveUserdata: ['userdata/move', 'userdata/full-info', 'userdata/hosted-move'],
  readSettings: ['settings/merge', 'settings/unset', 'settings/hosted-merge'],
  changeSettings: ['settings/merge', 'settings/hosted-merge'],
  readSetting: ['settings/one', 'settings/unset', 'settings/hosted-one'],
  changeSetting: ['settings/one', 'settings/hosted-one'],
  users: ['settings/users', 'settings/hosted-user'],
  addUser: ['settings/new-user'],
  user: ['settings/hosted-user'],
  logs: ['internal/log', 'internal/log-text'],
  rawLogs: ['internal/log', 'internal/log-lines'],
  subscribeLogs: ['internal/log-subscription'],
  folderPaths: ['internal/folder-paths'],
  folderFiles: ['internal/files', 'internal/files-annotated'],
  managerInstall: ['manager/install'],
  managerStatus: ['manager/status', 'manager/status-counts'],
  managerInstallModel: ['manager/install-model'],
  v2Submit: ['v2-jobs/created', 'v2-jobs/complete', 'v2-jobs/links', 'v2-access/key-once'],
  v2Jobs: ['v2-jobs/listing', 'v2-jobs/listing-filters', 'v2-jobs/labels'],
  v2Job: ['v2-jobs/states', 'v2-jobs/complete', 'v2-jobs/progress', 'v2-jobs/outputs-so-far'],
  v2Workflow: ['v2-jobs/workflow'],
  v2Cancel: ['v2-jobs/cancel-queued', 'v2-jobs/cancel-running', 'v2-jobs/cancel-again'],
  v2Events: ['v2-streams/form', 'v2-streams/snapshot', 'v2-streams/outputs-first'],
  v2Upload: ['v2-assets/upload', 'v2-assets/known-bytes'],
  v2FromHash: ['v2-assets/from-hash'],
  v2ByHash: ['v2-assets/by-hash'],
  v2Asset: ['v2-assets/read', 'v2-assets/address', 'v2-assets/outputs'],
  v2DeleteAsset: ['v2-assets/delete'],
  routerModels: ['router/list', 'router/list-pages', 'router/list-limit'],
  routerModel: ['router/detail'],
  routerDocument: ['router/document', 'router/document-tag', 'router/document-cache'],
  v2Content: ['v2-assets/content', 'v2-assets/range'],
  partnerSubmit: ['partner/task', 'partner/json', 'partner/bytes', 'partner/price', 'partner/any'],
  partnerPoll: ['partner/poll', 'partner/result', 'partner/time'],
  partnerCancel: ['partner/cancel'],
  partnerHealth: ['partner/health'],
  createCustomer: ['partner/customer'],
  readCustomer: ['partner/customer'],
  customerBalance: ['partner/balance'],
  customerEvents: ['partner/events'],
  customerConcurrency: ['partner/concurrency'],
  customerStorage: ['partner/storage', 'partner/storage-known', 'partner/links'],
  gatewayHealth: [
    'webhooks/health',
    'webhooks/health-is-free',
    'webhooks/health-runs',
    'operations/degraded',
  ],
  gatewayReady: ['operations/ready'],
  gatewayMetrics: ['operations/metrics', 'operations/metrics-labels'],
}

/** The rule that describes each type of message. */
export const messageRules: Readonly<Record<MessageType, RuleId>> = {
  status: 'messages/status',
  feature_flags: 'messages/feature-flags',
  notification: 'messages/notification',
  logs: 'internal/log-subscription',
  'assets.seed.started': 'assets/scan-messages',
  'assets.seed.fast_complete': 'assets/scan-messages',
  'assets.seed.progress': 'assets/scan-messages',
  'assets.seed.paused': 'assets/scan-messages',
  'assets.seed.resumed': 'assets/scan-messages',
  'assets.seed.enrich_complete': 'assets/scan-messages',
  'assets.seed.completed': 'assets/scan-messages',
  'assets.seed.cancelled': 'assets/scan-messages',
  'assets.seed.error': 'assets/scan-messages',
  asset_download: 'tasks/download-messages',
  asset_export: 'tasks/export-messages',
  execution_start: 'messages/execution-start',
  execution_cached: 'messages/execution-cached',
  executing: 'messages/executing',
  progress_state: 'messages/progress-state',
  progress: 'messages/progress',
  executed: 'messages/executed',
  execution_success: 'messages/success',
  execution_error: 'messages/error',
  execution_interrupted: 'messages/interrupted',
}

/** The same for the method that every path has, and for the host of signed links. */
export const preflightRules: Ids = ['http/options', 'access/bearer-options', 'http/hosted-options']
export const linkRules: Ids = ['files/hosted-signed-url', 'files/hosted-link-file']
export const linkPreflightRules: Ids = ['files/hosted-link-cors', 'files/hosted-link-method']

/** The rules behind a refusal: everywhere, or by endpoint, with `other` for the rest. */
export type RefusalRules = Ids | { readonly [Name in EndpointName | 'other']?: Ids }

type Table<T> = Readonly<Record<keyof T, RefusalRules>>

const foreign = ['http/foreign-origin', 'http/cross-site'] as const
const browse: Ids = ['userdata/browse-refusals']
const list: Ids = ['userdata/list-refusals']
const handshake: Ids = ['messages/no-handshake']
const queueBody: Ids = ['http/broken-json', 'http/member-in-text']
const userFile: Ids = ['userdata/unknown-file']

const ofLocal: Table<typeof refusals> = {
  internal: {
    readHistory: ['history/bad-numbers'],
    submit: queueBody,
    changeQueue: queueBody,
    changeHistory: queueBody,
    view: ['files/view-undecodable', 'files/view-webp'],
    uploadImage: ['files/upload-bad', 'files/upload-image-text', 'files/upload-text-bytes'],
    uploadMask: ['files/mask-bad-original', 'files/mask-unfit', 'files/mask-format'],
    modelPreview: ['catalog/model-preview-index'],
    uploadAsset: ['assets/upload-broken'],
    changeSettings: ['settings/no-object', 'http/broken-json'],
    addUser: ['settings/user-refusals', 'settings/user-bounds', 'http/broken-json'],
    deleteUserdata: ['userdata/folder-is-no-file'],
    moveUserdata: ['userdata/stays-inside'],
    subscribeLogs: ['internal/log-subscription-refusals', 'http/broken-json'],
    other: ['http/broken-json', 'http/body-charset'],
  },
  internalPage: ['http/failure-page'],
  unknownPath: {
    nodePage: ['catalog/node-page'],
    readAsset: ['assets/no-uuid'],
    assetContent: ['assets/no-uuid'],
    managerStatus: ['manager/off'],
    other: ['http/unknown-path', 'http/trailing-slash', 'deployments/paths-of-hosted'],
  },
  methodNotAllowed: {
    changeAsset: ['assets/no-uuid'],
    deleteAsset: ['assets/no-uuid'],
    addAssetTags: ['assets/no-uuid'],
    removeAssetTags: ['assets/no-uuid'],
    managerInstall: ['manager/off'],
    managerInstallModel: ['manager/off'],
    other: ['http/wrong-method', 'internal/wrong-method'],
  },
  notFoundEmpty: {
    assetByHash: ['assets/by-hash'],
    view: ['files/view-missing', 'assets/view-hash'],
    models: ['catalog/unknown-folder'],
    experimentModels: ['catalog/unknown-folder'],
    modelPreview: ['catalog/model-preview', 'catalog/model-preview-refusals'],
    modelMetadata: ['catalog/no-model-metadata'],
    readUserdata: userFile,
    deleteUserdata: userFile,
    moveUserdata: userFile,
  },
  forbiddenText: ['pages/folder'],
  notFoundText: ['internal/unknown-path', 'http/path-outside', 'http/asterisk'],
  forbiddenEmpty: {
    view: ['files/view-bad-name', ...foreign],
    readUserdata: ['userdata/stays-inside', ...foreign],
    writeUserdata: ['userdata/stays-inside', ...foreign],
    deleteUserdata: ['userdata/stays-inside', ...foreign],
    moveUserdata: ['userdata/stays-inside', 'userdata/never-outside', ...foreign],
    modelPreview: ['catalog/model-preview-refusals'],
    other: foreign,
  },
  badRequestEmpty: {
    view: ['files/view-bad-name'],
    uploadImage: ['files/upload-bad'],
    uploadMask: ['files/upload-bad'],
    modelPreview: ['catalog/model-preview-refusals'],
    managerInstall: ['manager/incomplete'],
    managerInstallModel: ['manager/incomplete', 'manager/path-stays-inside'],
  },
  jobsQuery: ['local-jobs/listing-refusals'],
  jobUnknown: ['local-jobs/unknown'],
  jobsNotJson: ['local-jobs/cancel-many-body'],
  jobIdsMissing: ['local-jobs/cancel-many-body'],
  badRequestText: ['http/no-http', 'http/long-lines'],
  preconditionFailed: ['files/view-conditional'],
  rangeNotSatisfiable: ['files/view-range'],
  expectation: ['http/expectation'],
  bodyTooLarge: {
    uploadAsset: ['assets/bounds', 'http/body-limit'],
    changeAsset: ['assets/bounds', 'http/body-limit'],
    addAssetTags: ['assets/bounds', 'http/body-limit'],
    assetFromHash: ['assets/bounds', 'http/body-limit'],
    uploadImage: ['files/upload-bounds', 'http/body-limit'],
    uploadMask: ['files/upload-bounds', 'http/body-limit'],
    other: ['http/body-limit'],
  },
  queueFull: ['queue/bounded'],
  bearerMissing: ['access/bearer-refusal'],
  directoryMissing: list,
  directoryInvalid: list,
  directoryUnknown: list,
  pathInvalid: browse,
  pathUnknown: browse,
  pathNoDirectory: browse,
  folderAsFile: ['userdata/folder-is-no-file'],
  fileExists: ['userdata/no-overwrite'],
  fileNotWritten: ['userdata/impossible-name', 'userdata/folder-is-no-file', 'userdata/bounds'],
  duplicateUser: ['settings/user-refusals', 'settings/user-names'],
  userNameMissing: ['settings/user-names'],
  userNameReserved: ['settings/user-names'],
  directoryType: ['internal/files-type'],
  socketWithoutUpgrade: handshake,
  socketWithoutConnection: ['messages/handshake-connection'],
  socketVersion: handshake,
  socketKey: handshake,
}

const hostedUserFile: Ids = ['userdata/hosted-refusals']
const hostedMask: Ids = ['files/hosted-mask-original', 'files/hosted-mask-unfit']
const hostedSettings: Ids = [
  'settings/hosted-bad-body',
  'settings/hosted-no-room',
  'http/hosted-bad-body',
]
const unknownJob: Ids = ['jobs/unknown']

const ofAssets: Table<typeof assetRefusals> = {
  assetsOff: ['assets/off'],
  assetQuery: ['assets/list-refusals', 'assets/list-metadata'],
  tagsQuery: ['assets/tags-query'],
  cursor: ['assets/cursor-refusals'],
  tagFilter: ['assets/list-tag-refusals'],
  unsupportedParameter: ['assets/list-no-metadata'],
  assetUnknown: ['assets/unknown'],
  previewUnknown: ['assets/change'],
  contentUnknown: ['assets/from-hash', 'assets/upload-hash'],
  fileGone: ['assets/content'],
  noForm: ['assets/upload-refusals'],
  fileMissing: ['assets/upload-refusals'],
  fileEmpty: ['assets/upload-refusals'],
  fieldOfServer: ['assets/upload-refusals'],
  hashInvalid: ['assets/by-no-hash', 'assets/upload-hash'],
  hashDiffers: ['assets/upload-hash', 'assets/hashing'],
  hashingOff: ['assets/no-hashing'],
  assetBody: ['assets/change-refusals', 'assets/from-hash-refusals'],
  tagsAddBody: ['assets/tag-refusals'],
  tagsRemoveBody: ['assets/tag-refusals'],
  assetJson: {
    assetFromHash: ['assets/from-hash-refusals'],
    changeAsset: ['assets/change-refusals'],
    other: ['assets/tag-refusals'],
  },
  systemTag: ['assets/system-tags'],
  scanRoots: ['assets/scan-roots'],
  uploadInvalid: ['assets/upload-role', 'assets/upload-model', 'assets/upload-bad-fields'],
}

const hostedUpload: Ids = ['hosted-assets/upload-refusals']
const hostedList: Ids = ['hosted-assets/list-refusals']
const hostedTagBody: Ids = ['hosted-assets/tag-refusals']

const ofHostedAssets: Table<typeof hostedAssetRefusals> = {
  assetQuery: hostedList,
  tagsQuery: hostedList,
  cursor: ['hosted-assets/cursor'],
  tagFilter: ['hosted-assets/list-tag-refusals'],
  assetUnknown: ['hosted-assets/unknown'],
  previewUnknown: ['hosted-assets/upload-preview'],
  contentUnknown: ['hosted-assets/from-hash'],
  fileGone: ['hosted-assets/content'],
  noForm: hostedUpload,
  fileMissing: hostedUpload,
  fileEmpty: hostedUpload,
  formBroken: ['hosted-assets/bad-form'],
  idTaken: ['hosted-assets/upload-id'],
  hashInvalid: ['hosted-assets/by-hash'],
  hashDiffers: hostedUpload,
  assetBody: ['hosted-assets/change-refusals'],
  tagsAddBody: hostedTagBody,
  tagsRemoveBody: hostedTagBody,
  tagCount: ['hosted-assets/tag-refusals', 'hosted-assets/from-hash-tags'],
  assetJson: ['hosted-assets/change-refusals'],
  systemTag: hostedTagBody,
  assetShared: ['hosted-assets/shared'],
  assetInUse: ['hosted-assets/delete-in-use'],
  urlMissing: ['tasks/bad-url'],
  urlInvalid: ['tasks/bad-url'],
  exportInvalid: ['tasks/export-refusals'],
  strategyUnknown: ['tasks/export-refusals'],
  exportName: ['tasks/export-link'],
  exportUnknown: ['tasks/export-link'],
  taskUnknown: ['tasks/unknown'],
  taskOver: ['tasks/cancel-over'],
  taskQuery: ['tasks/list-refusals'],
  uploadInvalid: ['hosted-assets/bad-form', 'hosted-assets/model'],
}

const ofHosted: Table<typeof hostedRefusals> = {
  unauthorized: ['access/hosted-key-refusal', 'access/hosted-socket-key'],
  freeTier: ['access/free-tier-refusal'],
  foreignJob: ['quirks/hosted.foreign-job-403'],
  notFound: {
    job: unknownJob,
    jobStatus: unknownJob,
    deleteJob: unknownJob,
    cancelJob: unknownJob,
    cancelJobs: ['jobs/unknown', 'jobs/cancel-many'],
    readHistoryEntry: ['history/hosted-unknown', 'history/hosted-once-begun'],
    view: ['files/hosted-view-missing'],
    uploadMask: ['files/hosted-mask-original'],
    maskLayers: ['files/hosted-mask-layers'],
    modelPreview: ['catalog/hosted-preview'],
    globalSubgraph: ['catalog/hosted-nothing-shared'],
    readSetting: ['settings/hosted-unset'],
    interrupt: ['queue/hosted-interrupt-named'],
    ...unknownOfAccounts,
    other: ['http/hosted-unknown-path', 'deployments/hosted-unprefixed'],
  },
  folderNotFound: ['catalog/hosted-no-models'],
  methodNotAllowed: ['http/hosted-wrong-method'],
  storageFull: ['files/hosted-upload-bounds', 'hosted-assets/bounds'],
  badRequest: {
    submit: ['workflows/hosted-unreadable', 'http/hosted-bad-body'],
    jobs: ['jobs/listing-refusals'],
    deleteJob: ['jobs/bad-id'],
    cancelJob: ['jobs/bad-id'],
    cancelJobs: ['jobs/cancel-many-body'],
    readHistory: ['history/hosted-pages'],
    changeHistory: ['history/hosted-closed-body'],
    changeQueue: ['queue/hosted-closed-body'],
    view: ['files/hosted-view-bad'],
    maskLayers: ['files/hosted-view-bad'],
    uploadImage: [
      'files/hosted-upload-bad',
      'files/hosted-upload-limits',
      'files/hosted-upload-text-bytes',
    ],
    uploadMask: hostedMask,
    changeSettings: hostedSettings,
    changeSetting: hostedSettings,
    free: ['system/hosted-free', 'http/hosted-bad-body'],
    sendFeedback: ['system/hosted-feedback', 'http/hosted-bad-body'],
    socket: handshake,
    ...badOfAccounts,
    other: ['http/hosted-no-http', 'http/hosted-bad-body'],
  },
  bodyTooLarge: ['http/hosted-body-limit'],
  ...refusalsOfAccounts,
  internal: ['http/hosted-refusals'],
  userFileUnknown: hostedUserFile,
  userFolderUnknown: hostedUserFile,
  userFolderOutside: hostedUserFile,
  userPathOutside: hostedUserFile,
  userFileExists: ['userdata/hosted-no-overwrite'],
  userFileRefused: hostedUserFile,
}

const ofV2: Table<typeof v2Refusals> = {
  unauthorized: ['v2-access/bearer-refusal', 'v2-access/header-key'],
  insufficientCredits: ['v2-jobs/credits'],
  forbidden: ['v2-access/free-tier'],
  notFound: ['v2-access/unknown-path'],
  jobNotFound: ['v2-jobs/unknown'],
  assetNotFound: ['v2-assets/delete', 'v2-assets/foreign', 'v2-assets/lifetime'],
  blobNotFound: ['v2-assets/unknown-hash'],
  methodNotAllowed: ['v2-access/unknown-path'],
  hashMismatch: ['v2-assets/expected-hash'],
  tooLarge: ['v2-assets/bounded'],
  invalidRequest: {
    v2Jobs: ['v2-jobs/listing-refusals'],
    other: ['v2-jobs/refused-body', 'v2-access/key-form'],
  },
  invalidFields: {
    v2Submit: ['v2-jobs/extra-data'],
    other: ['v2-assets/form', 'v2-assets/file-last'],
  },
  invalidFilter: ['v2-jobs/listing-refusals'],
  invalidCursor: ['v2-jobs/listing-refusals'],
  invalidWorkflow: ['v2-jobs/bad-graph', 'v2-jobs/refused-body', 'v2-jobs/reserved'],
  workflowOfEditor: ['v2-jobs/editor-format'],
  missingAsset: ['v2-assets/missing-reference'],
  keyReuse: ['v2-access/key-once', 'v2-access/key-scope'],
  labelsInvalid: ['v2-jobs/labels-invalid'],
  labelsUnsupported: ['quirks/hosted.v2-no-labels'],
  queueFull: ['v2-jobs/queue-full', 'v2-access/retry-after'],
  tooManyStreams: ['v2-streams/most', 'v2-access/retry-after'],
  notImplemented: ['quirks/hosted.v2-no-streams', 'quirks/hosted.v2-no-labels'],
}

const ofRouter: Table<typeof routerRefusals> = {
  unauthorized: ['router/key-refusal', 'router/header-key-first'],
  forbidden: ['router/free-tier'],
  modelNotFound: ['router/unknown-model', 'router/suggestions', 'router/unknown-path'],
  modelRetired: ['scenario/model-retired'],
  methodNotAllowed: ['router/unknown-path'],
  badCursor: ['router/list-cursor'],
}

const ofPartner: Table<typeof partnerRefusals> = {
  badRequest: {
    customerStorage: ['partner/storage-bad'],
    customerEvents: ['partner/events'],
    other: ['partner/refusals'],
  },
  unauthorized: ['partner/key', 'partner/refusals'],
  insufficientFunds: ['partner/funds'],
  notFound: {
    partnerPoll: ['partner/unknown'],
    partnerCancel: ['partner/unknown'],
    other: ['partner/unknown-path'],
  },
  methodNotAllowed: ['partner/unknown-path'],
  tooLarge: ['partner/unknown-path'],
}

const ofPlan: Table<typeof planRefusals> = {
  freeTier: ['quirks/hosted.free-tier-402'],
  subscriptionInactive: ['quirks/hosted.refuse-at-submit'],
  fundsMissing: ['quirks/hosted.refuse-at-submit'],
  queueFull: ['queue/hosted-bounded', 'quirks/hosted.refuse-at-submit'],
}

const ofLinks: Table<typeof linkRefusals> = {
  linkChanged: ['files/hosted-link-tampered', 'files/hosted-link-signed-host'],
  linkExpired: ['files/hosted-link-expiry'],
  linkWithKey: ['files/hosted-link-strict'],
  linkOfNothing: ['files/hosted-signed-url'],
  linkTooLarge: ['partner/storage-bound'],
  linkMethod: ['files/hosted-link-method'],
}

/** The rules behind the top-level error of a rejected submit, and behind the errors of its nodes. */
export const promptErrorRules: Readonly<Record<keyof typeof promptErrors, Ids>> = {
  noPrompt: ['workflows/no-prompt'],
  missingClassType: ['workflows/unknown-class'],
  unknownClassType: ['workflows/unknown-class'],
  untypedNode: ['workflows/missing-node-type'],
  missingNodeType: ['workflows/missing-node-type'],
  invalidPromptId: ['workflows/prompt-id-form'],
  noOutputs: ['workflows/no-outputs'],
  outputsFailed: ['workflows/invalid-is-400', 'workflows/details'],
}
const tripping: Ids = ['workflows/link-to-nowhere', 'workflows/check-trips', 'workflows/traceback']
export const nodeErrorRules: Readonly<Record<keyof typeof nodeErrors, Ids>> = {
  required_input_missing: ['workflows/required-input'],
  bad_linked_input: ['workflows/bad-link'],
  return_type_mismatch: ['workflows/link-type'],
  invalid_input_type: ['workflows/unconvertible'],
  value_smaller_than_min: ['workflows/bounds'],
  value_bigger_than_max: ['workflows/bounds'],
  value_not_in_list: ['workflows/not-in-list'],
  custom_validation_failed: [
    'workflows/missing-input-file',
    'workflows/own-types',
    'scenario/node-validate',
    'scenario/node-validate-pattern',
  ],
  exception_during_validation: tripping,
  exception_during_inner_validation: tripping,
  missing_node_type: ['workflows/blame'],
  dependency_cycle: ['workflows/cycle-refused', 'workflows/blame'],
}
/** The rules behind node errors of any type, in a rejected submit and in an accepted one. */
export const rejectedNodesRules: Ids = ['workflows/invalid-names-nodes']
export const halfValidRules: Ids = ['workflows/half-valid']

/** The answers of a gateway to posts, refusals or not. */
const ofGateway: Table<typeof outcomes & typeof gatewayRefusals> = {
  accepted: ['webhooks/path', 'webhooks/accepted', 'deliveries/run'],
  delivered: ['webhooks/delivered', 'deliveries/direct', 'deliveries/direct-once'],
  duplicate: ['webhooks/duplicate', 'webhooks/repeat-waits'],
  ignored: ['webhooks/ignored', 'webhooks/filter'],
  deliveryFailed: [
    'webhooks/delivery-failed',
    'deliveries/direct-once',
    'scenario/delivery-failures',
  ],
  internal: ['webhooks/no-500'],
  badRequest: ['webhooks/no-500'],
  cannotParse: ['webhooks/unparsable-body', 'webhooks/deep-body'],
  invalidSignature: ['signatures/every-post'],
  routeDisabled: ['webhooks/disabled'],
  unknownRoute: ['webhooks/unknown-route'],
  payloadTooLarge: ['webhooks/declared-size', 'webhooks/chunked-size'],
  textTooLong: ['templates/too-long'],
  tooManyRuns: ['deliveries/runs-bounded'],
  draining: ['operations/ready'],
  metricsForbidden: ['operations/metrics-callers'],
  tooManyBodies: ['operations/unfinished-bodies'],
  tooSlow: ['operations/slow-body', 'operations/slow-head'],
  stopping: ['store/drain'],
  notStored: ['store/failure'],
  deliveryUnderWay: ['store/shared-lease'],
  rateLimited: ['webhooks/rate-limit', 'scenario/used-rate-limit'],
  gatewayPath: ['webhooks/other-paths'],
  gatewayMethod: ['webhooks/other-paths'],
}

/** The rules behind each refusal of each table. */
export const refusalRules = {
  local: ofLocal,
  hosted: ofHosted,
  v2: ofV2,
  router: ofRouter,
  partner: ofPartner,
  oauth: ofOauth,
  plan: ofPlan,
  links: ofLinks,
  gateway: ofGateway,
  assets: ofAssets,
  'hosted-assets': ofHostedAssets,
}

/** The rules behind what a fault does to an answer, by the member of its `then`. */
export const faultRules = {
  status: ['faults/status'],
  location: ['faults/redirect'],
  retryAfter: ['faults/retry-after'],
  delayMs: ['faults/delayed-response'],
  truncate: ['faults/truncate'],
  slow: ['faults/slow'],
  reset: ['faults/reset-in-body'],
  refuse: ['faults/refuse'],
} as const satisfies Readonly<Record<string, Ids>>
/** The same for an answer of a fault that has no body. */
export const faultBodyRules: Ids = ['faults/text-body', 'faults/hosted-body']

/** The rules behind a reply of the scenario: by an answer, or to a request of a node rule. */
export const scriptedRules = {
  answer: ['scenario/answers'],
  wait: ['scenario/node-waits-reply'],
} as const satisfies Readonly<Record<string, Ids>>
