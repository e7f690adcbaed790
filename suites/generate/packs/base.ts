// What most workflows of packs have in common: a model, prompts, a latent, a sampler and its picture.

import { type Graph, node } from '../graphs.ts'

/** What a workflow puts in place of the usual links. */
type Around = {
  readonly model?: unknown
  readonly clip?: unknown
  readonly vae?: unknown
  readonly positive?: unknown
  readonly negative?: unknown
  readonly latent?: unknown
  readonly seed?: unknown
}

/** Prompts, a sampler and the decoded picture `image`. */
export const sampled = ({
  model = ['ckpt', 0],
  clip = ['ckpt', 1],
  vae = ['ckpt', 2],
  positive = ['pos', 0],
  negative = ['neg', 0],
  latent = ['latent', 0],
  seed = 156680208700286,
}: Around = {}): Graph => ({
  pos: node('CLIPTextEncode', { text: 'portrait of a gardener, soft light', clip }),
  neg: node('CLIPTextEncode', { text: 'blurry, low quality', clip }),
  latent: node('EmptyLatentImage', { width: 64, height: 96, batch_size: 1 }),
  sampler: node('KSampler', {
    seed,
    steps: 3,
    cfg: 6.5,
    sampler_name: 'dpmpp_2m',
    scheduler: 'karras',
    denoise: 1,
    model,
    positive,
    negative,
    latent_image: latent,
  }),
  image: node('VAEDecode', { samples: ['sampler', 0], vae }),
})

export const checkpoint = (ckpt_name = 'realism_v51.safetensors'): Graph => ({
  ckpt: node('CheckpointLoaderSimple', { ckpt_name }),
})

/** The whole of it, with a checkpoint. */
export const pictured = (around: Around = {}): Graph => ({ ...checkpoint(), ...sampled(around) })

export const saved = (images: unknown = ['image', 0]): Graph => ({
  save: node('SaveImage', { images, filename_prefix: 'packs' }),
})

export const loaded = (image = 'photo.png'): Graph => ({ photo: node('LoadImage', { image }) })
