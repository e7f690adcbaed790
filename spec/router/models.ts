// The models that the Router has by itself. They have the ids and the inputs of real ones, as far as clients use them.

import type { ModelType } from '../scenario/models.ts'

const prompt = { type: 'string', minLength: 1 }
const size = { type: 'integer', minimum: 64, maximum: 2048 }
const seed = { type: 'integer', minimum: 0 }
const url = { type: 'string', minLength: 1 }

const picture = (more: object = {}) => ({
  type: 'object',
  required: ['prompt'],
  properties: {
    prompt,
    width: size,
    height: size,
    seed,
    steps: { type: 'integer', minimum: 1, maximum: 50 },
    num_images: { type: 'integer', minimum: 1, maximum: 4, default: 1 },
    ...more,
  },
})

const pictures = {
  images: [{ times: 'num_images', item: { url: { media: 'png' }, content_type: 'image/png' } }],
  seed: { input: 'seed' },
  prompt: { input: 'prompt' },
}

/** By id. Prices are in credits. */
export const builtInModels: Readonly<Record<string, ModelType>> = {
  'bfl/flux-2-pro': {
    about: 'pictures from a text, and from a picture in base64',
    input: picture({ input_image: { type: 'string' } }),
    output: pictures,
    price: 6.33,
    durationMs: 200,
  },
  'byteplus/dreamina-seedance-2-0-260128': {
    about: 'a video from a text',
    input: {
      type: 'object',
      required: ['content'],
      properties: {
        content: {
          type: 'array',
          minItems: 1,
          items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } },
        },
        resolution: { enum: ['480p', '720p', '1080p'] },
        ratio: { type: 'string' },
        duration: { type: 'integer', minimum: 2, maximum: 15 },
      },
    },
    output: {
      status: 'succeeded',
      content: { video_url: { media: 'mp4', width: 640, height: 384 } },
    },
    price: 63.3,
    durationMs: 1000,
    providers: ['fal'],
  },
  'elevenlabs/eleven_v3': {
    about: 'speech, as the sound itself',
    input: {
      type: 'object',
      properties: {
        text: prompt,
        inputs: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['text'],
            properties: { text: prompt, voice_id: { type: 'string' } },
          },
        },
      },
    },
    bytes: 'mp3',
    price: 10.55,
    durationMs: 150,
  },
  'fal-ai/flux-pro': {
    about: 'pictures from a text',
    input: picture(),
    output: pictures,
    price: 8.44,
    durationMs: 200,
  },
  'luma/ray-2': {
    about: 'a video from a text',
    input: {
      type: 'object',
      required: ['prompt'],
      properties: {
        prompt,
        duration: { enum: ['5s', '9s'], default: '5s' },
        aspect_ratio: { enum: ['1:1', '16:9', '9:16'], default: '16:9' },
      },
    },
    output: {
      state: 'completed',
      assets: { video: { media: 'mp4', width: 640, height: 384 } },
    },
    price: 84.4,
    durationMs: 1000,
    chargesOnPolicyRejection: 'yes',
  },
  'openai/gpt-image-2': {
    about: 'pictures from a text, also by other providers',
    input: {
      type: 'object',
      required: ['prompt'],
      properties: {
        prompt,
        n: { type: 'integer', minimum: 1, maximum: 4, default: 1 },
        size: { type: 'string' },
        quality: { enum: ['low', 'medium', 'high', 'auto'] },
      },
    },
    output: { data: [{ times: 'n', item: { url: { media: 'png' } } }] },
    providerOutput: { images: [{ url: { media: 'png' }, content_type: 'image/png' }] },
    price: 8.44,
    durationMs: 250,
    providers: ['fal', 'wavespeed'],
  },
  'recraft/crisp-upscale': {
    about: 'a larger picture',
    input: { type: 'object', required: ['image'], properties: { image: url } },
    output: { image: { url: { media: 'png', width: 2048, height: 2048 } } },
    price: 0.84,
    durationMs: 150,
    chargesOnPolicyRejection: 'no',
  },
  'wan/wan2.5-i2i-preview': {
    about: 'a picture from others and a text',
    input: {
      type: 'object',
      required: ['input'],
      properties: {
        input: {
          type: 'object',
          required: ['prompt', 'images'],
          properties: {
            prompt,
            images: { type: 'array', minItems: 1, maxItems: 3, items: url },
          },
        },
        parameters: {
          type: 'object',
          properties: {
            size: { type: 'string' },
            n: { type: 'integer', minimum: 1, maximum: 4 },
            seed,
          },
        },
      },
    },
    output: {
      output: {
        task_status: 'SUCCEEDED',
        results: [{ times: 'parameters.n', item: { url: { media: 'png' } } }],
      },
    },
    price: 6.33,
    durationMs: 250,
  },
}
