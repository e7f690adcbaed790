// What the server can do, as it tells its clients [system/features], and the size of a body that it takes.

import { limits } from '../../spec/limits.ts'
import { floatText } from '../json.ts'
import type { World } from './world.ts'

/** Largest request body in bytes; `maxBody` gives it in MiB, null stands for the usual one. */
export const maxBodyBytes = (maxBody: number | null): number =>
  maxBody === null ? limits.body.value : Math.round(maxBody * 2 ** 20)

/** What the server can do, as GET /features and the socket tell it. A limit that was given is a float. */
export function featuresText({ options: { maxBody } }: World): string {
  const limit = maxBody === null ? `${maxBodyBytes(null)}` : floatText(maxBody * 2 ** 20)
  return `{"supports_preview_metadata": true, "max_upload_size": ${limit}}`
}
