// The OpenAPI document that a server serves: the packaged one, with this server's URL.

import { documentName } from '../../../spec/generations.ts'
import type { Where } from '../../../spec/language.ts'
import { readPackageFile } from '../../config/package-files.ts'

/** The text of the document. A server without a host refers to where the document was fetched. */
export function openapiText(where: Where): string {
  const text = readPackageFile(`spec/openapi.${documentName(where)}.json`).toString()
  const document = JSON.parse(text) as Record<string, unknown>
  document['servers'] = [{ url: '/' }]
  return JSON.stringify(document)
}
