// The workflow that the benchmark submits: ten nodes, 2.3 KB, as a browser writes it.

const node = (class_type, inputs, title) => ({ class_type, inputs, _meta: { title } })

const CHECKPOINTS = ['v1-5-pruned-emaonly-fp16.safetensors', 'sd_xl_base_1.0.safetensors']
const VAES = ['vae-ft-mse-840000-ema-pruned.safetensors', 'ae.safetensors']

const positive =
  'a lighthouse on a cliff at dusk, long exposure, calm sea, first stars above the horizon, a thin ' +
  'line of fog below the lantern room, soft light from the left, film grain, wide angle, high detail, ' +
  'weathered white paint, red railing, wet rocks in the foreground with small pools that mirror the ' +
  'sky, gulls far away, muted blue and orange, gentle contrast, 35 mm, f/8, thirty seconds, no people, no boats'
const negative =
  'text, watermark, signature, blurry, low contrast, oversaturated, cropped, duplicate, deformed ' +
  'hands, extra fingers, jpeg artifacts, worst quality, low quality, frame, border, people, boats, ' +
  'tilted horizon, lens flare, halo around the lantern, banding in the sky, visible sensor dust, ' +
  'double exposure, cartoon, painting, render, logo, date stamp, harsh shadows, flat lighting, noise, moire, clipped highlights'

/** @param {number} variant 0 or 1; no node of one has the inputs of the other. */
const graph = (variant) => ({
  3: node(
    'KSampler',
    {
      seed: 'SEED',
      steps: 20,
      cfg: 8,
      sampler_name: 'dpmpp_2m',
      scheduler: 'karras',
      denoise: 1,
      model: ['10', 0],
      positive: ['6', 0],
      negative: ['7', 0],
      latent_image: ['5', 0],
    },
    'Sampler',
  ),
  4: node('CheckpointLoaderSimple', { ckpt_name: CHECKPOINTS[variant] }, 'Load Checkpoint'),
  5: node(
    'EmptyLatentImage',
    { width: 512 + 64 * variant, height: 768, batch_size: 1 },
    'Empty Latent',
  ),
  6: node('CLIPTextEncode', { text: positive, clip: ['11', 0] }, 'Positive Prompt'),
  7: node('CLIPTextEncode', { text: negative, clip: ['11', 0] }, 'Negative Prompt'),
  8: node('VAEDecode', { samples: ['3', 0], vae: ['12', 0] }, 'Decode'),
  9: node('SaveImage', { filename_prefix: 'lighthouse', images: ['8', 0] }, 'Save Image'),
  10: node(
    'LoraLoader',
    {
      lora_name: 'example_lora_sd15.safetensors',
      strength_model: 0.8,
      strength_clip: 0.65,
      model: ['4', 0],
      clip: ['4', 1],
    },
    'Load LoRA',
  ),
  11: node('CLIPSetLastLayer', { stop_at_clip_layer: -2, clip: ['10', 1] }, 'Skip the Last Layer'),
  12: node('VAELoader', { vae_name: VAES[variant] }, 'Load VAE'),
})

/** The two sides of the seed in the body of each variant. */
const halves = [0, 1].map((variant) => {
  const body = { client_id: 'bench', prompt: graph(variant), extra_data: { extra_pnginfo: {} } }
  return JSON.stringify(body).split('"SEED"')
})

let submits = 0

/**
 * The body of the next submit, with a seed that no submit of this process has had and that needs 64 bits.
 * @param {'sampler' | 'all'} changed whether only the nodes behind the sampler differ from the submit
 *   before, or all ten, so that no result is reused.
 */
export function nextBody(changed) {
  const [before, after] = halves[changed === 'all' ? submits % 2 : 0]
  return `${before}1${String(process.pid).padStart(9, '0')}${String(submits++).padStart(9, '0')}${after}`
}

/** The part that all events share: a push of one commit, as a code host reports it. */
const push = {
  ref: 'refs/heads/main',
  before: '9b6f3c4e2d1a0b9c8d7e6f5a4b3c2d1e0f9a8b7c',
  repository: {
    id: 186853002,
    name: 'lighthouse',
    full_name: 'acme/lighthouse',
    private: false,
    html_url: 'https://code.example/acme/lighthouse',
    default_branch: 'main',
  },
  pusher: { name: 'ann', email: 'ann@acme.example' },
  sender: { login: 'ann', id: 21031067, type: 'User', site_admin: false },
  commits: [],
  head_commit: {
    id: 'COMMIT',
    message: 'Keep the lamp lit while the keeper sleeps, and tell the ships when it is not',
    timestamp: '2026-01-01T00:00:00Z',
    author: { name: 'Ann', email: 'ann@acme.example', username: 'ann' },
    added: ['lamp/wick.ts'],
    removed: [],
    modified: ['lamp/lamp.ts', 'lamp/lamp.test.ts', 'README.md'],
  },
}
const [beforeCommit, afterCommit] = JSON.stringify(push).split('COMMIT')

let events = 0

/** The next event that a sender posts: its body, and an id that no earlier event had. */
export function nextEvent() {
  const id = `${String(process.pid).padStart(9, '0')}-${String(events++).padStart(9, '0')}`
  return { body: `${beforeCommit}${id}${afterCommit}`, id }
}
