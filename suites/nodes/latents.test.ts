// Latents and sounds as torch 2.13.0 computes and prints them, and the errors of those that do not fit: each row was
// computed with it, other rates of sounds with torchaudio 2.11.0, and what codecs refuse with PyAV 18.1.0.

import { expect, test } from 'vitest'
import { latent, node, type Row, shownBy } from './rows.ts'
import { createNodeServer } from './server.ts'

const rows: readonly Row[] = [
  [
    'LatentAdd',
    { samples1: latent(1, 4, 9, 1), samples2: latent(1, 4, 1, 2) },
    'RuntimeError: Input and output sizes should be greater than 0, but got input (H: 1, W: 0) output (H: 9, W: 1)',
  ],
  [
    'LatentAdd',
    { samples1: latent(1, 4, 2, 2), samples2: latent(1, 4, 6) },
    'ValueError: Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of [4] and output size of (2, 2). Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.',
  ],
  [
    'LatentAdd',
    { samples1: latent(1, 2, 3), samples2: latent(2, 2, 3) },
    "{'samples': tensor([[[-3.5600, -2.0800, -0.6000],\n         [ 0.8800,  2.3600,  3.8400]]])}",
  ],
  [
    'LatentUpscaleBy',
    { samples: latent(1, 4, 6), upscale_method: 'bislerp', scale_by: 0.5 },
    'ValueError: not enough values to unpack (expected 4, got 3)',
  ],
  [
    'LatentUpscaleBy',
    { samples: latent(2, 4), upscale_method: 'area', scale_by: 1.5 },
    'ValueError: Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of [] and output size of (3, 6). Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.',
  ],
  [
    'LatentUpscaleBy',
    { samples: latent(1, 3, 1, 4), upscale_method: 'bislerp', scale_by: 1.5 },
    "{'samples': tensor([[[[-1.7800, -1.4908, -1.1315, -0.5900,  0.1937,  0.4400],\n          [-1.7800, -1.4908, -1.1315, -0.5900,  0.1937,  0.4400]],\n\n         [[ 1.1800,  1.6013,  1.4767, -0.8816, -1.9482, -0.6200],\n          [ 1.1800,  1.6013,  1.4767, -0.8816, -1.9482, -0.6200]],\n\n         [[ 0.1200,  0.4940,  1.3681,  1.8802, -0.3125, -1.6800],\n          [ 0.1200,  0.4940,  1.3681,  1.8802, -0.3125, -1.6800]]]])}",
  ],
  [
    'LatentInterpolate',
    { samples1: latent(3, 3, 2, 2), samples2: latent(2, 4, 2, 2), ratio: 0.5 },
    'RuntimeError: The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 1',
  ],
  [
    'LatentInterpolate',
    { samples1: latent(2, 2, 1, 2), samples2: latent(2, 2, 1, 2), ratio: 0.25 },
    "{'samples': tensor([[[[-1.7799, -1.0989]],\n\n         [[-0.3003,  0.2547]]],\n\n\n        [[[ 1.1799,  2.0287]],\n\n         [[-1.3615, -0.3588]]]])}",
  ],
  [
    'LatentCut',
    { samples: latent(1, 2, 1, 2), dim: 'none of them', index: 1, amount: 1 },
    "{'samples': tensor([[[[-0.3000,  0.4400]]]])}",
  ],
  [
    'LatentCut',
    { samples: latent(1, 2, 1, 2), dim: 'a', index: 0, amount: 1 },
    'TypeError: tuple indices must be integers or slices, not str',
  ],
  [
    'LatentConcat',
    { samples1: latent(1, 2, 1, 2), samples2: latent(1, 2, 1, 2), dim: 'a' },
    "TypeError: cat(): argument 'dim' must be int, not str",
  ],
  [
    'LatentUpscale',
    { samples: true, upscale_method: 'area', width: 16, height: 0, crop: 'disabled' },
    "AttributeError: 'bool' object has no attribute 'copy'",
  ],
  [
    'LatentUpscaleBy',
    {
      samples: node('LatentMultiply', {
        samples: node('EmptyLatentImage', { width: 16, height: 16, batch_size: 1 }),
        multiplier: -1,
      }),
      upscale_method: 'bislerp',
      scale_by: 0.5,
    },
    "{'samples': tensor([[[[0.]],\n\n         [[0.]],\n\n         [[0.]],\n\n         [[0.]]]])}",
  ],
  ['SplitSigmas', { sigmas: 'text', step: 2 }, 'tex'],
  [
    'LatentFlip',
    { samples: latent(2, 4), flip_method: 'x-axis: vertically' },
    'IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)',
  ],
  [
    'LatentRotate',
    { samples: latent(1, 2, 3), rotation: 'none' },
    'IndexError: Dimension out of range (expected to be in range of [-3, 2], but got 3)',
  ],
  [
    'LatentCrop',
    { samples: latent(1, 4, 6), width: 64, height: 64, x: 0, y: 0 },
    'IndexError: tuple index out of range',
  ],
  [
    'LatentCrop',
    { samples: latent(1, 1, 2, 2, 1), width: 64, height: 64, x: 0, y: 0 },
    "{'samples': tensor([[[[[-1.7800],\n           [-1.0400]],\n\n          [[-0.3000],\n           [ 0.4400]]]]])}",
  ],
  [
    'LatentBlend',
    { samples1: latent(1, 4, 6), samples2: latent(1, 4, 2, 2), blend_factor: 0.5 },
    'IndexError: tuple index out of range',
  ],
  [
    'TrimVideoLatent',
    { samples: latent(2, 4), trim_amount: 1 },
    'IndexError: too many indices for tensor of dimension 2',
  ],
  [
    'LatentComposite',
    { samples_to: latent(1, 1, 5, 5), samples_from: latent(1, 1, 2, 2), x: 8, y: 8, feather: 64 },
    "{'samples': tensor([[[[-1.7800, -1.0400, -0.3000,  0.4400,  1.1800],\n          [ 1.9200, -1.3601, -0.6202,  0.1200,  0.8600],\n          [ 1.6000, -1.6793, -0.9387, -0.2000,  0.5400],\n          [ 1.2800, -2.0000, -1.2600, -0.5200,  0.2200],\n          [ 0.9600,  1.7000, -1.5800, -0.8400, -0.1000]]]])}",
  ],
  [
    'LatentComposite',
    { samples_to: latent(1, 4, 2, 2), samples_from: latent(4, 6), x: 0, y: 0, feather: 0 },
    'IndexError: too many indices for tensor of dimension 2',
  ],
  [
    'LatentComposite',
    { samples_to: latent(1, 4, 2, 2), samples_from: latent(1, 4, 1, 2, 4), x: 0, y: 0, feather: 0 },
    'RuntimeError: The expanded size of the tensor (2) must match the existing size (4) at non-singleton dimension 3.  Target sizes: [1, 4, 1, 2].  Tensor sizes: [4, 1, 2, 4]',
  ],
  [
    'AudioMerge',
    {
      audio1: node('EmptyAudio', { duration: 0, sample_rate: 8000, channels: 2 }),
      audio2: { audio: { samples: 4, channels: 2, rate: 8000 } },
      merge_method: 'add',
    },
    "RuntimeError: max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
  ],
  [
    'AudioConcat',
    {
      audio1: { audio: { samples: 5, channels: 1, rate: 8000 } },
      audio2: { audio: { samples: 6, channels: 2, rate: 12000 } },
      direction: 'before',
    },
    "{'waveform': tensor([[[-0.4883, -0.4702, -0.4521, -0.4341, -0.4160, -0.3979, -0.4855,\n          -0.5208, -0.4458, -0.4493, -0.4288, -0.4624, -0.4136, -0.1282],\n         [ 0.0000,  0.0181,  0.0361,  0.0542,  0.0723,  0.0903, -0.4855,\n          -0.5208, -0.4458, -0.4493, -0.4288, -0.4624, -0.4136, -0.1282]]]), 'sample_rate': 12000}",
  ],
  [
    'AudioMerge',
    {
      audio1: { audio: { samples: 7, channels: 1, rate: 44100 } },
      audio2: { audio: { samples: 3, channels: 2, rate: 8000 } },
      merge_method: 'mean',
    },
    "{'waveform': tensor([[[-0.4863, -0.4943, -0.4888, -0.4740, -0.4554, -0.4384, -0.4263],\n         [-0.2442, -0.2347, -0.2248, -0.2142, -0.2031, -0.1914, -0.1793]]]), 'sample_rate': 44100}",
  ],
  [
    'EmptyAudio',
    { duration: 100_000, sample_rate: 192_000, channels: 2 },
    "{'waveform': tensor([[[0., 0., 0.,  ..., 0., 0., 0.],\n         [0., 0., 0.,  ..., 0., 0., 0.]]]), 'sample_rate': 192000}",
  ],
]

test('latents and sounds are those of torch', () => {
  expect(shownBy(rows)).toEqual(rows.map(([, , text]) => text))
})

test('codecs refuse the rates that they do not know', () => {
  const { run } = createNodeServer('folders')
  const errorOf = (class_type: string, quality: string, sample_rate: number, channels: number) => {
    const audio = node('EmptyAudio', { duration: 0.1, sample_rate, channels })
    return run(class_type, { audio, filename_prefix: 'a', quality }).failure?.exception_type
  }
  expect([
    errorOf('SaveAudioOpus', '320k', 44_100, 1),
    errorOf('SaveAudioOpus', '320k', 44_100, 2),
    errorOf('SaveAudioMP3', 'V0', 96_000, 2),
    errorOf('SaveAudioMP3', 'V0', 22_050, 2),
  ]).toEqual(['av.error.ArgumentError', undefined, 'av.error.ArgumentError', undefined])
})
