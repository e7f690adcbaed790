// Samplers, noise and hooks as objects: what they were made with.

import { floatOf, type Json } from '../../lib/json.ts'
import type { Family, Inputs } from '../values/inputs.ts'
import { spaced } from '../arithmetic/spaced.ts'
import { constant } from '../values/tensor.ts'
import { Instance, misused, objectText, type Value } from '../values/values.ts'

const functionOf = (name: string): Instance =>
  new Instance(name, {}, `<function ${name} at 0x7f0000000000>`)

const dict = (values: Readonly<Record<string, Value>> = {}): Map<string, Value> =>
  new Map(Object.entries(values))

const sampler = (
  name: string,
  options: Readonly<Record<string, Value>> = {},
  inpaint: Readonly<Record<string, Value>> = {},
): readonly Value[] => [
  new Instance(
    'KSAMPLER',
    {
      sampler_function: functionOf(name),
      extra_options: dict(options),
      inpaint_options: dict(inpaint),
    },
    objectText('comfy.samplers', 'KSAMPLER'),
  ),
]

const float = ({ number }: Inputs, name: string, fallback = 1): Json =>
  floatOf(number(name, fallback))

const floats = (inputs: Inputs, names: readonly string[]): Record<string, Value> =>
  Object.fromEntries(names.map((name) => [name, float(inputs, name)]))

/** A sampler that takes these numbers. */
const taking =
  (name: string, names: readonly string[]) =>
  (inputs: Inputs): readonly Value[] =>
    sampler(name, floats(inputs, names))

/** One whose noise is made on one of two devices. */
const onDevice =
  (name: string, optionsOf: (inputs: Inputs) => Readonly<Record<string, Value>>) =>
  (inputs: Inputs): readonly Value[] =>
    sampler(`${name}${inputs.text('noise_device') === 'cpu' ? '' : '_gpu'}`, optionsOf(inputs))

function select({ text }: Inputs): readonly Value[] {
  const name = text('sampler_name')
  if (name === 'uni_pc' || name === 'uni_pc_bh2')
    return sampler(`sample_${name === 'uni_pc' ? 'unipc' : 'unipc_bh2'}`)
  if (name === 'dpm_fast') return sampler('dpm_fast_function')
  if (name === 'dpm_adaptive') return sampler('dpm_adaptive_function')
  if (name === 'ddim') return sampler('sample_euler', {}, { random: true })
  return sampler(`sample_${name}`)
}

/** Scalers of the noise by the kind of solver. */
function erSde(inputs: Inputs): readonly Value[] {
  const { text, number } = inputs
  const kind = text('solver_type')
  const isOde = kind === 'ODE'
  const scaler = kind === 'ER-SDE' ? null : functionOf('reverse_time_sde_noise_scaler')
  return sampler('sample_er_sde', {
    s_noise: isOde ? floatOf(0) : float(inputs, 's_noise'),
    noise_scaler: scaler,
    max_stage: number('max_stage', 3),
  })
}

const START_OF_TIME = 999999999.9

const keyframe = (strength: Value, start: number, steps = 1): Instance =>
  new Instance('HookKeyframe', {
    strength,
    start_percent: floatOf(start),
    start_t: START_OF_TIME,
    guarantee_steps: steps,
  })

/** Keyframes in the order of their start; earlier ones are kept. */
function keyframes({ value }: Inputs, added: readonly Instance[]): readonly Value[] {
  const previous = value('prev_hook_kf')
  const known = previous instanceof Instance ? previous.fields.get('keyframes') : []
  const all = [...(Array.isArray(known) ? known : []), ...added] as Instance[]
  const startOf = (one: Instance): number => {
    const start = one.fields.get('start_percent')
    return typeof start === 'number' ? start : ((start as { float: number }).float ?? 0)
  }
  const sorted = all.toSorted((a, b) => startOf(a) - startOf(b))
  return [
    new Instance(
      'HookKeyframeGroup',
      { keyframes: sorted },
      objectText('comfy.hooks', 'HookKeyframeGroup'),
    ),
  ]
}

const f = Math.fround
const linear = (x: number): number => x

const curves: Readonly<Record<string, (x: number) => number>> = {
  linear,
  ease_in: (x) => x ** 2,
  ease_out: (x) => 1 - (1 - x) ** 2,
  ease_in_out: (x) => (1 - Math.cos(x * Math.PI)) / 2,
}

function interpolated(inputs: Inputs): readonly Value[] {
  const { number, text } = inputs
  const count = number('keyframes_count')
  const curve = curves[text('interpolation')] ?? linear
  const [low, high] = [number('strength_start'), number('strength_end')]
  const shares = spaced(0, 1, count)
  const strengths =
    curve === linear
      ? spaced(low, high, count)
      : shares.map((share) => f(f(high - low) * f(curve(share))) + f(low))
  const starts = spaced(number('start_percent'), number('end_percent'), count)
  const added = Array.from(starts, (start, at) =>
    // Only the first is sure to be used for a step.
    keyframe(constant([], [strengths[at] as number]), start, at === 0 ? 1 : 0),
  )
  return keyframes(inputs, added)
}

function fromFloats(inputs: Inputs): readonly Value[] {
  const given = inputs.value('floats_strength')
  const strengths = Array.isArray(given) ? given : [given]
  const [start, end] = [inputs.number('start_percent'), inputs.number('end_percent')]
  const added = strengths.map((strength, at) => {
    const share = strengths.length > 1 ? at / (strengths.length - 1) : 0
    const value = typeof strength === 'number' ? floatOf(strength) : strength
    return keyframe(value, start + (end - start) * share, at === 0 ? 1 : 0)
  })
  return keyframes(inputs, added)
}

/** Modules of extra nodes are named by their file, without its ending. */
const noise = (name: string, seed: Value): Instance =>
  new Instance(name, { seed }, objectText('/srv/ComfyUI/comfy_extras/nodes_custom_sampler', name))

/** The hooks that are given; several come from models. */
const combined = ({ value }: Inputs): readonly Value[] => {
  const given = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].flatMap(
    (letter) => value(`hooks_${letter}`) ?? [],
  )
  return [given.length === 0 ? null : (given[0] as Value)]
}

export const samplers: Family = {
  CombineHooks2: combined,
  CombineHooks4: combined,
  CombineHooks8: combined,
  CreateHookKeyframe: (inputs) =>
    keyframes(inputs, [keyframe(float(inputs, 'strength_mult'), inputs.number('start_percent'))]),
  CreateHookKeyframesFromFloats: fromFloats,
  CreateHookKeyframesInterpolated: interpolated,
  DisableNoise: () => [noise('Noise_EmptyNoise', 0)],
  KSamplerSelect: select,
  RandomNoise: ({ value }) => [noise('Noise_RandomNoise', value('noise_seed'))],
  SamplerDPMAdaptative: (inputs) => {
    const names = [
      'rtol',
      'atol',
      'h_init',
      'pcoeff',
      'icoeff',
      'dcoeff',
      'accept_safety',
      'eta',
      's_noise',
    ]
    return sampler('dpm_adaptive_function', {
      order: inputs.number('order'),
      ...floats(inputs, names),
    })
  },
  SamplerDPMPP_2M_SDE: onDevice('sample_dpmpp_2m_sde', (inputs) => ({
    ...floats(inputs, ['eta', 's_noise']),
    solver_type: inputs.text('solver_type'),
  })),
  SamplerDPMPP_2S_Ancestral: taking('sample_dpmpp_2s_ancestral', ['eta', 's_noise']),
  SamplerDPMPP_3M_SDE: onDevice('sample_dpmpp_3m_sde', (inputs) =>
    floats(inputs, ['eta', 's_noise']),
  ),
  SamplerDPMPP_SDE: onDevice('sample_dpmpp_sde', (inputs) =>
    floats(inputs, ['eta', 's_noise', 'r']),
  ),
  SamplerER_SDE: erSde,
  SamplerEulerAncestral: taking('sample_euler_ancestral', ['eta', 's_noise']),
  SamplerEulerAncestralCFGPP: taking('sample_euler_ancestral_cfg_pp', ['eta', 's_noise']),
  SamplerEulerCFGpp: ({ text }) =>
    sampler(text('version') === 'alternative' ? 'sample_euler_pp' : 'sample_euler_cfg_pp'),
  SamplerLCMUpscale: ({ number, text }) => {
    const steps = number('scale_steps', -1)
    return sampler('sample_lcm_upscale', {
      total_upscale: floatOf(number('scale_ratio')),
      upscale_steps: steps < 0 ? null : steps,
      upscale_method: text('upscale_method'),
    })
  },
  SamplerLMS: ({ number }) => sampler('sample_lms', { order: number('order') }),
  SetHookKeyframes: ({ value, has }) => {
    if (!has('hook_kf')) return [value('hooks')]
    return misused(value('hooks'), '.clone')
  },
}
