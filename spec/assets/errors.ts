// Refusals of the asset paths: a JSON object with `code`, `message` and `details`, on local servers below `error`. `{name}` in
// a message stands for a value that the server fills in; some refusals have details too.

import type { Refusals } from '../language.ts'
import { coded } from '../refusal.ts'

const refusal = coded((code, message) => ({ json: { error: { code, message, details: {} } } }))

export const assetRefusals = {
  assetsOff: refusal(503, 'Any path of assets, on a server without assets.', {
    SERVICE_DISABLED:
      'Assets system is disabled. Start the server with --enable-assets to use this feature.',
  }),
  assetQuery: refusal(
    400,
    'A query parameter of a list that does not fit its schema; `details.errors` names each.',
    { INVALID_QUERY: 'Validation failed.' },
  ),
  tagsQuery: refusal(400, 'The same for the list of tags.', {
    INVALID_QUERY: 'Invalid query parameters',
  }),
  cursor: refusal(400, 'A cursor that the server did not send, or sent for another order.', {
    INVALID_CURSOR: '{reason}',
  }),
  tagFilter: refusal(400, 'Tag filters that contradict each other, or are too long.', {
    INVALID_TAG_FILTER: '{reason}',
  }),
  unsupportedParameter: refusal(400, 'A query parameter of older servers.', {
    UNSUPPORTED_PARAM: '{name} is no longer supported',
  }),
  assetUnknown: refusal(404, 'An asset that does not exist.', {
    ASSET_NOT_FOUND: 'AssetReference {id} not found',
  }),
  previewUnknown: refusal(404, 'A preview that does not exist.', {
    ASSET_NOT_FOUND: 'Preview AssetReference {id} not found',
  }),
  contentUnknown: refusal(404, 'The hash of a content that the server does not have.', {
    ASSET_NOT_FOUND: 'Asset content {hash} does not exist',
  }),
  fileGone: refusal(404, 'The content of an asset whose file has been removed.', {
    FILE_NOT_FOUND: 'Underlying file not found on disk.',
  }),
  noForm: refusal(415, 'An upload that is not a multipart form.', {
    UNSUPPORTED_MEDIA_TYPE: 'Use multipart/form-data for uploads.',
  }),
  fileMissing: refusal(400, 'An upload without a file and without the hash of a known content.', {
    MISSING_FILE: "Form must include a 'file' part or a known 'hash'.",
  }),
  fileEmpty: refusal(400, 'An upload whose file has no bytes.', {
    EMPTY_UPLOAD: 'Uploaded file is empty.',
  }),
  fieldOfServer: refusal(400, 'An upload with the field `id`.', {
    UNSUPPORTED_FIELD:
      "Client-provided 'id' is not supported. Asset IDs are assigned by the server.",
  }),
  hashInvalid: refusal(400, 'A hash that is not `blake3:` and 64 hexadecimal digits.', {
    INVALID_HASH: "hash must be like 'blake3:<hex>'",
  }),
  hashDiffers: refusal(400, 'An upload whose file has another hash than its field `hash`.', {
    HASH_MISMATCH: 'Uploaded file hash does not match provided hash.',
  }),
  hashingOff: refusal(400, 'An asset from a hash, on a server that does not hash contents.', {
    FEATURE_DISABLED: 'Asset hashing is disabled.',
  }),
  assetBody: refusal(
    400,
    'A JSON body that does not fit its schema; `details.errors` names each place.',
    { INVALID_BODY: 'Validation failed.' },
  ),
  tagsAddBody: refusal(400, 'Tags to add that are not a list of texts.', {
    INVALID_BODY: 'Invalid JSON body for tags add.',
  }),
  tagsRemoveBody: refusal(400, 'Tags to remove that are not a list of texts.', {
    INVALID_BODY: 'Invalid JSON body for tags remove.',
  }),
  assetJson: refusal(400, 'A body that is not valid JSON.', {
    INVALID_JSON: 'Request body must be valid JSON.',
  }),
  systemTag: refusal(400, 'A tag that only the server sets.', {
    SYSTEM_TAG_FORBIDDEN: "Tag '{tag}' is system-managed and cannot be modified via the API",
  }),
  scanRoots: refusal(400, 'A scan of folders that do not exist.', {
    INVALID_BODY: 'No valid roots specified',
  }),
  // Its message fits every invalid body: it stands last.
  uploadInvalid: refusal(
    400,
    'An upload with invalid fields, or whose tags do not choose a folder.',
    { INVALID_BODY: '{reason}' },
  ),
} as const satisfies Refusals

const hostedRefusal = coded((code, message) => ({ json: { code, message } }))

/** The refusals of the asset paths of hosted servers, and of their tasks. Some have `details` too. */
export const hostedAssetRefusals = {
  assetQuery: hostedRefusal(400, 'A query parameter of a list of assets that does not fit.', {
    INVALID_QUERY: 'Validation failed.',
  }),
  tagsQuery: hostedRefusal(400, 'The same for the list of tags.', {
    INVALID_QUERY: 'Invalid query parameters',
  }),
  cursor: hostedRefusal(400, 'A cursor that the server did not send, or sent for another order.', {
    INVALID_CURSOR: '{reason}',
  }),
  tagFilter: hostedRefusal(400, 'Tag filters that contradict each other, or are too long.', {
    INVALID_TAG_FILTER: '{reason}',
  }),
  assetUnknown: hostedRefusal(404, 'An unknown asset, or one of another account.', {
    ASSET_NOT_FOUND: 'Asset {id} not found',
  }),
  previewUnknown: hostedRefusal(400, 'A preview that does not exist.', {
    INVALID_PREVIEW_ID: 'Preview asset {id} not found',
  }),
  contentUnknown: hostedRefusal(404, 'The hash of a content that the account does not have.', {
    ASSET_NOT_FOUND: 'Asset content {hash} does not exist',
  }),
  fileGone: hostedRefusal(404, 'The content of an asset that has no file of the account.', {
    FILE_NOT_FOUND: 'The content of the asset cannot be downloaded.',
  }),
  noForm: hostedRefusal(415, 'An upload that is not a multipart form.', {
    UNSUPPORTED_MEDIA_TYPE: 'Use multipart/form-data for uploads.',
  }),
  fileMissing: hostedRefusal(400, 'An upload without a file and without a known hash.', {
    MISSING_FILE: "Form must include a 'file' part or a known 'hash'.",
  }),
  fileEmpty: hostedRefusal(400, 'An upload whose file has no bytes.', {
    EMPTY_UPLOAD: 'Uploaded file is empty.',
  }),
  formBroken: hostedRefusal(400, 'An upload whose form cannot be read.', {
    INVALID_FORM: 'The form cannot be read.',
  }),
  idTaken: hostedRefusal(400, 'An upload with an `id` that is taken, or is not a UUID.', {
    ASSET_ID_UNAVAILABLE: 'The asset id {id} is not available.',
  }),
  hashInvalid: hostedRefusal(400, 'A hash of another form.', {
    INVALID_HASH: "hash must be like 'blake3:<hex>'",
  }),
  hashDiffers: hostedRefusal(400, 'An upload whose file has another hash than its field `hash`.', {
    HASH_MISMATCH: 'Uploaded file hash does not match provided hash.',
  }),
  assetBody: hostedRefusal(400, 'A JSON body that does not fit its schema.', {
    INVALID_BODY: 'Validation failed.',
  }),
  tagsAddBody: hostedRefusal(422, 'Tags to add that are not a list of texts.', {
    INVALID_BODY: 'Invalid JSON body for tags add.',
  }),
  tagsRemoveBody: hostedRefusal(422, 'Tags to remove that are not a list of texts.', {
    INVALID_BODY: 'Invalid JSON body for tags remove.',
  }),
  tagCount: hostedRefusal(422, 'No tags where some are required, or too many.', {
    INVALID_TAGS: 'Give 1 to {most} tags.',
  }),
  assetJson: hostedRefusal(400, 'A body that is not valid JSON.', {
    INVALID_JSON: 'Request body must be valid JSON.',
  }),
  systemTag: hostedRefusal(422, 'A tag that only the server sets.', {
    RESERVED_TAG: "Tag '{tag}' is reserved.",
  }),
  assetShared: hostedRefusal(403, 'A change of an asset that all accounts share.', {
    FORBIDDEN: 'Asset {id} is public and cannot be changed.',
  }),
  assetInUse: hostedRefusal(409, 'A delete of an asset whose file a job needs that is not over.', {
    ASSET_IN_USE: 'Asset {id} is in use.',
  }),
  urlMissing: hostedRefusal(400, 'A question about a file elsewhere without its URL.', {
    INVALID_REQUEST: 'The URL of the file is missing.',
  }),
  urlInvalid: hostedRefusal(422, 'The same with a text that is not a URL of HTTP or HTTPS.', {
    INVALID_URL: 'The URL of the file is not valid.',
  }),
  exportInvalid: hostedRefusal(400, 'An export without ids, or with malformed ones.', {
    INVALID_REQUEST: '{reason}',
  }),
  strategyUnknown: hostedRefusal(400, 'An export with an unknown strategy.', {
    INVALID_NAMING_STRATEGY: 'The naming strategy is unknown.',
  }),
  exportName: hostedRefusal(400, 'The name of an archive that no export can have.', {
    INVALID_EXPORT_NAME: 'The name of an export ends in .zip.',
  }),
  exportUnknown: hostedRefusal(404, 'An archive that does not exist.', {
    EXPORT_NOT_FOUND: 'Export {name} not found',
  }),
  taskUnknown: hostedRefusal(404, 'An unknown task, or one of another account.', {
    TASK_NOT_FOUND: 'Task {id} not found',
  }),
  taskOver: hostedRefusal(409, 'A cancel of a task that is over, or that cannot be cancelled.', {
    TASK_NOT_CANCELLABLE: 'Task {id} cannot be cancelled.',
  }),
  taskQuery: hostedRefusal(422, 'A list of tasks with a parameter that does not fit.', {
    INVALID_QUERY: 'The parameter {name} cannot have that value.',
  }),
  uploadInvalid: hostedRefusal(422, 'An upload with invalid fields, or of an unknown folder.', {
    INVALID_BODY: '{reason}',
  }),
} as const satisfies Refusals
