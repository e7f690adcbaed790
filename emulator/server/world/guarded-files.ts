// How servers of 2026 send files that others have stored: no browser runs them as a page [files/view-active,
// userdata/download, assets/content-active].

import type { Headers } from '../../machine.ts'
import type { World } from '../state/world.ts'
import { isActive, isSafeImage } from './content-types.ts'

/** The type of a file that is only downloaded. */
export const UNKNOWN_TYPE = 'application/octet-stream'

/** How a file is sent: with which type, whether only as a download, and with which further headers. */
export type GuardedFile = {
  readonly type: string
  readonly isDownload: boolean
  readonly headers: Readonly<Record<string, string>>
}

/** The header of a file whose type a browser takes as it is. */
export const neverSniffed = { 'X-Content-Type-Options': 'nosniff' } as const
/** The headers of a file whose type depends on what a page uses it for. */
const varying = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  Vary: 'Sec-Fetch-Dest',
}

/** How a file of this type is sent to a request with these headers. */
export function guardFile({ setup }: World, type: string, asked: Headers): GuardedFile {
  if (!isActive(type)) return { type, isDownload: false, headers: neverSniffed }
  const { showsSafeImages } = setup.traits
  const isImage = showsSafeImages && isSafeImage(type) && asked['sec-fetch-dest'] === 'image'
  const headers = showsSafeImages ? varying : neverSniffed
  return { type: isImage ? type : UNKNOWN_TYPE, isDownload: !isImage, headers }
}
