// Sends the previews of a step [frames/*]: to which sockets, with or without metadata, and when.

import type { Picture, PictureFormat, Preview } from '../../pictures/picture.ts'
import { originOf } from './running.ts'
import type { Running } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { sendFrame, socketsFor, receivesMetadata } from '../world/sockets.ts'

/** Size of sampler previews: the longer side, in pixels. */
const PREVIEW_SIZE = 512

/** What the current step of a run shows; undefined for nothing. */
export function previewOf({
  work,
  step,
  preview: usual,
}: Running): { readonly image: Preview | Picture; readonly format: PictureFormat } | undefined {
  if (work === null || step === 0) return undefined
  const { steps, preview, previewFormat, previewBytes, socketPictures } = work
  const picture = socketPictures?.[step - 1]
  if (picture !== undefined) return { image: picture, format: 'png' }
  const format = previewFormat ?? usual
  if (preview === undefined || format === 'none') return undefined
  const size = {
    maxSize: PREVIEW_SIZE,
    ...(previewBytes !== undefined && { minBytes: previewBytes }),
  }
  return { image: { of: preview, step, steps, ...size }, format }
}

/** A preview with metadata precedes the progress message; one without follows it. */
export function sendPreview(
  world: World,
  running: Running,
  id: string,
  image: Preview | Picture,
  format: PictureFormat,
  sendProgress: () => void,
): void {
  const { client_id, prompt_id } = running.run
  const sockets = socketsFor(world, 'progress', client_id)
  const takesMetadata = (socket: number): boolean => receivesMetadata(world, client_id, socket)
  const asking = sockets.filter(takesMetadata)
  if (asking.length > 0) {
    const { display, parent, real } = originOf(running, id)
    const metadata = {
      node_id: id,
      prompt_id,
      display_node_id: display,
      parent_node_id: parent,
      real_node_id: real,
      image_type: `image/${format}`,
    }
    sendFrame(world, asking, { frame: 'previewWithMetadata', format, image, metadata })
  }
  sendProgress()
  const others = sockets.filter((socket) => !takesMetadata(socket))
  sendFrame(world, others, { frame: 'previewImage', format, image })
}
