// Noise levels of samplers: schedules, and what is made from them.

import type { Family, Inputs } from '../values/inputs.ts'
import { divideFloat, round } from '../arithmetic/scaling.ts'
import { asComplex, complexPower, minus, power } from '../arithmetic/complex.ts'
import { checkLength, COMPLEX, constant, product, type Read, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { type Value } from '../values/values.ts'
import { spaced } from '../arithmetic/spaced.ts'
import { gitsLevels } from '../arithmetic/gits-levels.ts'
import { levels, withLogarithms } from '../arithmetic/noise-levels.ts'
import { floatText } from '../../lib/json.ts'

const f = Math.fround

/** The numbers of SIGMAS: few, and made without pictures. */
const noRead: Read = Object.assign((tensor: Tensor, index: number) => tensor.make(index, noRead), {
  pixels: () => new Uint8Array(),
  spend: () => undefined,
})
export const numbersOf = (sigmas: Tensor): Float32Array =>
  sigmas.shape[0] === 0 ? new Float32Array() : sigmas.make(0, noRead)

const vector = (values: ArrayLike<number>): Tensor => constant([values.length], values)

const withZero = (values: Float32Array): Tensor => vector([...values, 0])

/** Python's `math.log`. */
const log = (value: number): number =>
  value > 0 || Number.isNaN(value) ? Math.log(value) : raise('ValueError', 'math domain error')

function karras({ number }: Inputs): readonly Tensor[] {
  const rho = number('rho')
  const ramp = spaced(0, 1, number('steps'))
  const low = power(number('sigma_min'), divideFloat(1, rho))
  const high = power(number('sigma_max'), divideFloat(1, rho))
  if (typeof low === 'number' && typeof high === 'number')
    return [withZero(ramp.map((one) => f(f(high) + f(one * f(low - high))) ** rho))]
  const first = asComplex(high)
  const way = minus(asComplex(low), first)
  const numbers = [...ramp].flatMap((one) => {
    const [real, imaginary] = [0, 1].map((at) => f(f(first[at]!) + f(one * f(way[at]!))))
    return complexPower([real as number, imaginary as number], rho)
  })
  return [complexVector([...numbers, 0, 0])]
}

const complexVector = (numbers: ArrayLike<number>): Tensor => {
  const data = Float32Array.from(numbers)
  return new Tensor([data.length / 2], () => data, COMPLEX)
}

function laplace({ number }: Inputs): readonly Tensor[] {
  const [low, high] = [f(number('sigma_min')), f(number('sigma_max'))]
  const [mu, beta] = [f(number('mu')), f(number('beta', 0.5))]
  const values = spaced(0, 1, number('steps')).map((one) => {
    const middle = f(0.5 - one)
    const sized = f(f(1 - f(2 * Math.abs(middle))) + f(1e-5))
    const level = f(Math.exp(f(mu - f(f(beta * Math.sign(middle)) * f(Math.log(sized))))))
    return Math.min(Math.max(level, low), high)
  })
  return [vector(values)]
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
    const whole =
      steps + 1 === schedule.length ? [...schedule] : withLogarithms(schedule, steps + 1)
    const part = whole.slice(-(total + 1))
    part[part.length - 1] = 0
    return [vector(part)]
  }

/** A schedule by its coefficient, of which only the last part is used. */
function gits({ number }: Inputs): readonly Tensor[] {
  const [steps, denoise] = [number('steps'), number('denoise', 1)]
  const total = denoise < 1 ? round(steps * denoise) : steps
  if (denoise <= 0) return [vector([])]
  checkLength(steps)
  const coefficient = round(number('coeff', 1.2) * 100) / 100
  const known =
    gitsLevels(coefficient, Math.min(steps, 20)) ?? raise('KeyError', floatText(coefficient))
  const whole = steps <= 20 ? [...known] : withLogarithms(known, steps + 1)
  const part = total === -1 ? whole : whole.slice(-(total + 1))
  if (part.length === 0) raise('IndexError', 'list assignment index out of range')
  part[part.length - 1] = 0
  return [vector(part)]
}

/** Python's `math.exp`. */
function exp(value: number): number {
  const result = Math.exp(value)
  return result === Infinity && value !== Infinity
    ? raise('OverflowError', 'math range error')
    : result
}

/** Shifted by the size of the latent. */
function ltxv({ number, flag, has, members }: Inputs): readonly Tensor[] {
  const samples = has('latent') ? members('latent').get('samples') : undefined
  const tokens = samples instanceof Tensor ? product(samples.shape.slice(2)) : 4096
  const slope = (number('max_shift') - number('base_shift')) / (4096 - 1024)
  const places = spaced(1, 0, number('steps') + 1)
  const shift = f(exp(tokens * slope + (number('base_shift') - slope * 1024)))
  const values = places.map((one) =>
    // A number is divided by a tensor as its product with one divided by it.
    one === 0 ? 0 : f(1 / f(shift + f(f(1 / one) - 1))) * shift,
  )
  if (!flag('stretch', true)) return [vector(values)]
  const last =
    values.findLast((one) => one !== 0) ??
    raise('IndexError', 'index -1 is out of bounds for dimension 0 with size 0')
  const rest = f(1 - last) / f(1 - number('terminal'))
  return [vector(values.map((one) => (one === 0 ? 0 : 1 - f(f(1 - one) / f(rest)))))]
}

/** Python's slice of the numbers. */
function part(sigmas: Tensor, start: number, end?: number): Tensor {
  const values = numbersOf(sigmas)
  if (sigmas.dtype !== COMPLEX) return vector(values.slice(start, end))
  return complexVector(values.slice(2 * start, end === undefined ? end : 2 * end))
}

const curves: Readonly<Record<string, (x: number) => number>> = {
  linear: (x) => x,
  cosine: (x) => Math.sin((x * Math.PI) / 2),
  sine: (x) => 1 - Math.cos((x * Math.PI) / 2),
}

function extend({ tensor, number, text }: Inputs): readonly Tensor[] {
  const given = tensor('sigmas', 'len')
  const sigmas = numbersOf(given)
  const start = number('start_at_sigma') < 0 ? Infinity : f(number('start_at_sigma'))
  const end = f(number('end_at_sigma'))
  const curve = curves[text('spacing', 'linear')] ?? raise('KeyError', `'${text('spacing')}'`)
  const between = [...spaced(0, 1, number('steps') + 1)].slice(1, -1).map((one) => f(curve(one)))
  checkLength(sigmas.length * between.length)
  if (given.dtype === COMPLEX && sigmas.length > 2)
    raise('NotImplementedError', '"ge_cpu" not implemented for \'ComplexFloat\'')
  const values: number[] = []
  for (const [at, own] of sigmas.entries()) {
    values.push(own)
    const next = sigmas[at + 1]
    if (next === undefined || !(end <= own && own <= start)) continue
    for (const share of between) values.push(f(f(share * f(next - own)) + own))
  }
  return [vector(values)]
}

/** Two parts that share a step. Python cuts a text in the same way. */
const split = ({ tensor, value, number }: Inputs): readonly Value[] => {
  const given = value('sigmas')
  if (typeof given === 'string') {
    const letters = Array.from(given)
    const parts = [letters.slice(0, number('step') + 1), letters.slice(number('step'))]
    return parts.map((some) => some.join(''))
  }
  const sigmas = tensor('sigmas', 'slice')
  return [part(sigmas, 0, number('step') + 1), part(sigmas, number('step'))]
}

function splitByDenoise({ tensor, number }: Inputs): readonly Value[] {
  const sigmas = tensor('sigmas', '.shape')
  const total = round(Math.max((sigmas.shape[0] ?? 0) - 1, 0) * number('denoise'))
  return [part(sigmas, 0, -total || 0), part(sigmas, -(total + 1))]
}

function flip({ tensor }: Inputs): readonly Tensor[] {
  const sigmas = tensor('sigmas', 'len.flip')
  const values = numbersOf(sigmas).toReversed()
  if (sigmas.dtype === COMPLEX) {
    // The parts of each number have changed places.
    const numbers = [...values].map((_, at) => values[at % 2 === 0 ? at + 1 : at - 1] as number)
    if (numbers[0] === 0 && numbers[1] === 0) numbers[0] = 0.0001
    return [complexVector(numbers)]
  }
  if (values[0] === 0) values[0] = 0.0001
  return [vector(values)]
}

function setFirst({ tensor, number }: Inputs): readonly Tensor[] {
  const sigmas = tensor('sigmas', '.clone')
  const values = numbersOf(sigmas).slice()
  if (values.length === 0)
    raise('IndexError', 'index 0 is out of bounds for dimension 0 with size 0')
  values[0] = number('sigma')
  if (sigmas.dtype !== COMPLEX) return [vector(values)]
  values[1] = 0
  return [complexVector(values)]
}

export const sigmas: Family = {
  AlignYourStepsScheduler: known(levels.alignYourSteps),
  ExponentialScheduler: ({ number }) => {
    const ramp = spaced(log(number('sigma_max')), log(number('sigma_min')), number('steps'))
    return [withZero(ramp.map(Math.exp))]
  },
  ExtendIntermediateSigmas: extend,
  FlipSigmas: flip,
  GITSScheduler: gits,
  KarrasScheduler: karras,
  LaplaceScheduler: laplace,
  LTXVScheduler: ltxv,
  OptimalStepsScheduler: known(levels.optimalSteps),
  PolyexponentialScheduler: ({ number }) => {
    const ramp = spaced(1, 0, number('steps')).map((one) => one ** number('rho'))
    const [low, high] = [log(number('sigma_min')), log(number('sigma_max'))]
    return [withZero(ramp.map((one) => Math.exp(f(f(one * f(high - low)) + f(low)))))]
  },
  SetFirstSigma: setFirst,
  SplitSigmas: split,
  SplitSigmasDenoise: splitByDenoise,
  VPScheduler: ({ number }) => {
    const [beta, least] = [f(number('beta_d')), f(number('beta_min'))]
    const values = spaced(1, number('eps_s'), number('steps')).map((one) =>
      Math.sqrt(f(Math.expm1(f(f(f(beta * f(one ** 2)) / 2) + f(least * one))))),
    )
    return [withZero(values)]
  },
}
