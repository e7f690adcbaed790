// Refusals of the asset paths: a JSON object with `code`, `message` and `details`. `{name}` in a message stands for a value
// that the server fills in; some refusals have details too.

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
