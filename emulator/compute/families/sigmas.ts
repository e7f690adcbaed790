// Noise levels of samplers: schedules, and what is made from them.

import type { Family, Inputs } from '../values/inputs.ts'
import { round } from '../arithmetic/scaling.ts'
import { checkLength, constant, product, type Read, Tensor } from '../values/tensor.ts'
import { raise, type Value } from '../values/values.ts'
import { levels } from '../arithmetic/noise-levels.ts'

const f = Math.fround

/** The numbers of SIGMAS: few, and made without pictures. */
const noRead: Read = Object.assign((tensor: Tensor, index: number) => tensor.make(index, noRead), {
  pixels: () => new Uint8Array(),
  spend: () => undefined,
})
export const numbersOf = (sigmas: Tensor): Float32Array =>
  sigmas.shape[0] === 0 ? new Float32Array() : sigmas.make(0, noRead)

const vector = (values: ArrayLike<number>): Tensor => constant([values.length], values)

/** Evenly spaced numbers, as torch computes them: from both ends. */
function spaced(start: number, end: number, count: number): Float32Array {
  checkLength(count)
  const step = count > 1 ? f((end - start) / (count - 1)) : 0
  return Float32Array.from({ length: Math.max(0, count) }, (_, at) =>
    at < count / 2 ? f(start) + f(step * at) : f(end) - f(step * (count - at - 1)),
  )
}

const withZero = (values: Float32Array): Tensor => vector([...values, 0])

/** Python's `math.log`. */
const log = (value: number): number =>
  value > 0 ? Math.log(value) : raise('ValueError', 'math domain error')

const divided = (a: number, b: number): number =>
  b === 0 ? raise('ZeroDivisionError', 'float division by zero') : a / b

/** Python's power of a negative number is complex, of 0 to less than 0 an error. */
function power(base: number, exponent: number): number {
  if (base === 0 && exponent < 0)
    raise('ZeroDivisionError', '0.0 cannot be raised to a negative power')
  return base ** exponent
}

function karras({ number }: Inputs): readonly Tensor[] {
  const rho = number('rho')
  const inverse = divided(1, rho)
  const [low, high] = [power(number('sigma_min'), inverse), power(number('sigma_max'), inverse)]
  const ramp = spaced(0, 1, number('steps'))
  return [withZero(ramp.map((one) => f(f(high) + f(one * f(low - high))) ** rho))]
}

function laplace({ number }: Inputs): readonly Tensor[] {
  const [low, high] = [number('sigma_min'), number('sigma_max')]
  const values = spaced(0, 1, number('steps')).map((one) => {
    const middle = f(0.5 - one)
    const sized = f(f(1 - f(2 * Math.abs(middle))) + 1e-5)
    const exponent = number('mu') - number('beta') * Math.sign(middle) * Math.log(sized)
    return Math.min(Math.max(Math.exp(exponent), low), high)
  })
  return [vector(values)]
}

/** A schedule of another length: its logarithms are interpolated. */
function stretched(schedule: readonly number[], count: number): number[] {
  checkLength(count)
  const logs = schedule.toReversed().map(Math.log)
  const values = Array.from({ length: count }, (_, at) => {
    const place = count === 1 ? 0 : (at * (logs.length - 1)) / (count - 1)
    const first = Math.min(Math.floor(place), logs.length - 1)
    const second = Math.min(first + 1, logs.length - 1)
    return Math.exp(logs[first]! + (logs[second]! - logs[first]!) * (place - first))
  })
  return values.toReversed()
}

/** A known schedule, of which only the last part is used. */
const known =
  (tables: Readonly<Record<string, readonly number[]>>) =>
  ({ text, number }: Inputs): readonly Tensor[] => {
    const [steps, denoise] = [number('steps'), number('denoise', 1)]
    if (denoise <= 0) return [vector([])]
    const total = denoise < 1 ? round(steps * denoise) : steps
    const name = text('model_type')
    const schedule =
      (Object.hasOwn(tables, name) ? tables[name] : undefined) ?? raise('KeyError', `'${name}'`)
    const whole = steps + 1 === schedule.length ? [...schedule] : stretched(schedule, steps + 1)
    const part = whole.slice(-(total + 1))
    part[part.length - 1] = 0
    return [vector(part)]
  }

/** Shifted by the size of the latent. */
function ltxv({ number, flag, has, members }: Inputs): readonly Tensor[] {
  const samples = has('latent') ? members('latent').get('samples') : undefined
  const tokens = samples instanceof Tensor ? product(samples.shape.slice(2)) : 4096
  const slope = (number('max_shift') - number('base_shift')) / (4096 - 1024)
  const shift = f(Math.exp(tokens * slope + number('base_shift') - slope * 1024))
  const values = spaced(1, 0, number('steps') + 1).map((one) =>
    one === 0 ? 0 : f(shift / f(shift + f(f(1 / one) - 1))),
  )
  if (!flag('stretch', true)) return [vector(values)]
  const last = values.findLast((one) => one !== 0) ?? 0
  const scale = f(f(1 - last) / f(1 - number('terminal')))
  return [vector(values.map((one) => (one === 0 ? 0 : 1 - f(f(1 - one) / scale))))]
}

/** Python's slice of the numbers. */
const part = (values: Float32Array, start: number, end?: number): Tensor =>
  vector(values.slice(start, end))

const curves: Readonly<Record<string, (x: number) => number>> = {
  linear: (x) => x,
  cosine: (x) => Math.sin((x * Math.PI) / 2),
  sine: (x) => 1 - Math.cos((x * Math.PI) / 2),
}

function extend({ tensor, number, text }: Inputs): readonly Tensor[] {
  const sigmas = numbersOf(tensor('sigmas', 'len'))
  const start = number('start_at_sigma') < 0 ? Infinity : number('start_at_sigma')
  const curve = curves[text('spacing', 'linear')] ?? raise('KeyError', `'${text('spacing')}'`)
  const between = [...spaced(0, 1, number('steps') + 1)].slice(1, -1).map((one) => f(curve(one)))
  checkLength(sigmas.length * between.length)
  const values: number[] = []
  for (const [at, own] of sigmas.entries()) {
    values.push(own)
    const next = sigmas[at + 1]
    if (next === undefined || own < number('end_at_sigma') || own > start) continue
    for (const share of between) values.push(f(f(share * f(next - own)) + own))
  }
  return [vector(values)]
}

const split = ({ tensor, number }: Inputs): readonly Value[] => {
  const values = numbersOf(tensor('sigmas', 'slice'))
  return [part(values, 0, number('step') + 1), part(values, number('step'))]
}

function splitByDenoise({ tensor, number }: Inputs): readonly Value[] {
  const values = numbersOf(tensor('sigmas', '.shape'))
  const total = round(Math.max(values.length - 1, 0) * number('denoise'))
  return [part(values, 0, -total || 0), part(values, -(total + 1))]
}

function flip({ tensor }: Inputs): readonly Tensor[] {
  const sigmas = tensor('sigmas', 'len.flip')
  const values = numbersOf(sigmas).toReversed()
  if (values[0] === 0) values[0] = 0.0001
  return [vector(values)]
}

function setFirst({ tensor, number }: Inputs): readonly Tensor[] {
  const values = numbersOf(tensor('sigmas', '.clone')).slice()
  if (values.length === 0)
    raise('IndexError', 'index 0 is out of bounds for dimension 0 with size 0')
  values[0] = number('sigma')
  return [vector(values)]
}

export const sigmas: Family = {
  AlignYourStepsScheduler: known(levels.alignYourSteps),
  ExponentialScheduler: ({ number }) => {
    const ramp = spaced(log(number('sigma_max')), log(number('sigma_min')), number('steps'))
    return [withZero(ramp.map(Math.exp))]
  },
  ExtendIntermediateSigmas: extend,
  FlipSigmas: flip,
  KarrasScheduler: karras,
  LaplaceScheduler: laplace,
  LTXVScheduler: ltxv,
  OptimalStepsScheduler: known(levels.optimalSteps),
  PolyexponentialScheduler: ({ number }) => {
    const [low, high] = [log(number('sigma_min')), log(number('sigma_max'))]
    const ramp = spaced(1, 0, number('steps')).map((one) => one ** number('rho'))
    return [withZero(ramp.map((one) => Math.exp(f(f(one * f(high - low)) + f(low)))))]
  },
  SetFirstSigma: setFirst,
  SplitSigmas: split,
  SplitSigmasDenoise: splitByDenoise,
  VPScheduler: ({ number }) => {
    const values = spaced(1, number('eps_s'), number('steps')).map((one) =>
      Math.sqrt(Math.expm1(f(f((number('beta_d') * one ** 2) / 2) + f(number('beta_min') * one)))),
    )
    return [withZero(values)]
  },
}
