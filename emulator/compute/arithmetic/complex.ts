// Complex numbers as pairs, for powers of negative numbers: Python's are complex, and torch goes on with them.

import { raise } from '../../lib/raised.ts'

export type Complex = readonly [real: number, imaginary: number]

const f = Math.fround

/** Python's power of numbers: complex for a negative one with a fraction, and exceptions where it has no value. */
export function power(base: number, exponent: number): number | Complex {
  if (base === 0 && exponent < 0)
    return raise('ZeroDivisionError', '0.0 cannot be raised to a negative power')
  if (base < 0 && Number.isFinite(base) && exponent % 1 !== 0) {
    const length = Math.abs(base) ** exponent
    if (!Number.isFinite(length)) raise('OverflowError', 'complex exponentiation')
    return [length * Math.cos(Math.PI * exponent), length * Math.sin(Math.PI * exponent)]
  }
  const result = base ** exponent
  if (!Number.isFinite(result) && Number.isFinite(base) && Number.isFinite(exponent))
    raise('OverflowError', "(34, 'Numerical result out of range')")
  return result
}

export const asComplex = (value: number | Complex): Complex =>
  typeof value === 'number' ? [value, 0] : value

export const minus = ([a, b]: Complex, [c, d]: Complex): Complex => [a - c, b - d]

/** Torch's power of a complex number in single precision. */
export function complexPower([real, imaginary]: Complex, exponent: number): Complex {
  const times = ([a, b]: Complex, [c, d]: Complex): Complex => [
    f(f(a * c) - f(b * d)),
    f(f(a * d) + f(b * c)),
  ]
  const own: Complex = [real, imaginary]
  if (exponent === 0) return [1, 0]
  if (exponent === 1) return own
  if (exponent === 2) return times(own, own)
  if (exponent === 3) return times(times(own, own), own)
  if (real === 0 && imaginary === 0) return [0, 0]
  const power = f(exponent)
  const long = f(power * f(Math.log(Math.hypot(real, imaginary))))
  const angle = f(power * f(Math.atan2(imaginary, real)))
  const length = f(Math.exp(long))
  return [f(length * f(Math.cos(angle))), f(length * f(Math.sin(angle)))]
}
