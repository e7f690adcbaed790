// Refusals of the asset paths: a JSON object with `code`, `message` and `details`. `{name}` in a message stands for a value
// that the server fills in; some refusals have details too.

import type { Refusals } from '../language.ts'

const refusal = <Status extends number>(
  status: Status,
  code: string,
  message: string,
  when: string,
) => ({ status, when, body: { json: { error: { code, message, details: {} } } } }) as const

export const assetRefusals = {
  assetsOff: refusal(
    503,
    'SERVICE_DISABLED',
    'Assets system is disabled. Start the server with --enable-assets to use this feature.',
    'Any path of assets, on a server without assets.',
  ),
  assetQuery: refusal(
    400,
    'INVALID_QUERY',
    'Validation failed.',
    'A query parameter of a list that does not fit its schema; `details.errors` names each.',
  ),
  tagsQuery: refusal(
    400,
    'INVALID_QUERY',
    'Invalid query parameters',
    'The same for the list of tags.',
  ),
  cursor: refusal(
    400,
    'INVALID_CURSOR',
    '{reason}',
    'A cursor that the server did not send, or sent for another order.',
  ),
  tagFilter: refusal(
    400,
    'INVALID_TAG_FILTER',
    '{reason}',
    'Tag filters that contradict each other, or are too long.',
  ),
  unsupportedParameter: refusal(
    400,
    'UNSUPPORTED_PARAM',
    '{name} is no longer supported',
    'A query parameter of older servers.',
  ),
  assetUnknown: refusal(
    404,
    'ASSET_NOT_FOUND',
    'AssetReference {id} not found',
    'An asset that does not exist.',
  ),
  previewUnknown: refusal(
    404,
    'ASSET_NOT_FOUND',
    'Preview AssetReference {id} not found',
    'A preview that does not exist.',
  ),
  contentUnknown: refusal(
    404,
    'ASSET_NOT_FOUND',
    'Asset content {hash} does not exist',
    'The hash of a content that the server does not have.',
  ),
  fileGone: refusal(
    404,
    'FILE_NOT_FOUND',
    'Underlying file not found on disk.',
    'The content of an asset whose file has been removed.',
  ),
  noForm: refusal(
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'Use multipart/form-data for uploads.',
    'An upload that is not a multipart form.',
  ),
  fileMissing: refusal(
    400,
    'MISSING_FILE',
    "Form must include a 'file' part or a known 'hash'.",
    'An upload without a file and without the hash of a known content.',
  ),
  fileEmpty: refusal(
    400,
    'EMPTY_UPLOAD',
    'Uploaded file is empty.',
    'An upload whose file has no bytes.',
  ),
  fieldOfServer: refusal(
    400,
    'UNSUPPORTED_FIELD',
    "Client-provided 'id' is not supported. Asset IDs are assigned by the server.",
    'An upload with the field `id`.',
  ),
  hashInvalid: refusal(
    400,
    'INVALID_HASH',
    "hash must be like 'blake3:<hex>'",
    'A hash that is not `blake3:` and 64 hexadecimal digits.',
  ),
  hashDiffers: refusal(
    400,
    'HASH_MISMATCH',
    'Uploaded file hash does not match provided hash.',
    'An upload whose file has another hash than its field `hash`.',
  ),
  hashingOff: refusal(
    400,
    'FEATURE_DISABLED',
    'Asset hashing is disabled.',
    'An asset from a hash, on a server that does not hash contents.',
  ),
  assetBody: refusal(
    400,
    'INVALID_BODY',
    'Validation failed.',
    'A JSON body that does not fit its schema; `details.errors` names each place.',
  ),
  tagsAddBody: refusal(
    400,
    'INVALID_BODY',
    'Invalid JSON body for tags add.',
    'Tags to add that are not a list of texts.',
  ),
  tagsRemoveBody: refusal(
    400,
    'INVALID_BODY',
    'Invalid JSON body for tags remove.',
    'Tags to remove that are not a list of texts.',
  ),
  assetJson: refusal(
    400,
    'INVALID_JSON',
    'Request body must be valid JSON.',
    'A body that is not valid JSON.',
  ),
  systemTag: refusal(
    400,
    'SYSTEM_TAG_FORBIDDEN',
    "Tag '{tag}' is system-managed and cannot be modified via the API",
    'A tag that only the server sets.',
  ),
  scanRoots: refusal(
    400,
    'INVALID_BODY',
    'No valid roots specified',
    'A scan of folders that do not exist.',
  ),
  // Its message fits every invalid body: it stands last.
  uploadInvalid: refusal(
    400,
    'INVALID_BODY',
    '{reason}',
    'An upload with invalid fields, or whose tags do not choose a folder.',
  ),
} as const satisfies Refusals
