// Schedules as torch 2.13.0 computes and prints them, and their errors: each row was computed with it.

import { expect, test } from 'vitest'
import { float, int, node, type Row, shownBy } from './rows.ts'

const karras = (
  [steps, max, min, rho]: readonly [number, number, number, number],
  text: string,
): Row => [
  'KarrasScheduler',
  { steps: int(steps), sigma_max: float(max), sigma_min: float(min), rho: float(rho) },
  text,
]

const ltxv = (
  [steps, max, stretch, terminal]: readonly [number, number, boolean, number],
  text: string,
): Row => [
  'LTXVScheduler',
  {
    steps: int(steps),
    max_shift: float(max),
    base_shift: float(0.95),
    stretch,
    terminal: float(terminal),
  },
  text,
]

/** A schedule with complex numbers. */
const complex = node('KarrasScheduler', {
  steps: 3,
  sigma_max: 14.5,
  sigma_min: float(-0.5),
  rho: 7.5,
})

const rows: readonly Row[] = [
  karras(
    [5, 14.614642, -0.01, 7.5],
    'tensor([ 1.4615e+01+0.0000e+00j,  3.6319e+00+1.3045e+00j,  5.1631e-01+5.9273e-01j,\n        -1.1290e-02+1.1131e-01j, -1.0000e-02+1.5100e-09j,  0.0000e+00+0.0000e+00j])',
  ),
  karras(
    [4, -2.5, 0.5, 2.5],
    'tensor([-2.5000-2.1856e-07j, -0.9922+6.3267e-01j,  0.0255+5.6817e-01j,\n         0.5000+0.0000e+00j,  0.0000+0.0000e+00j])',
  ),
  karras(
    [2, -1.5, -0.5, 3.5],
    'tensor([-1.5000-1.3113e-07j, -0.5000+7.5498e-08j,  0.0000+0.0000e+00j])',
  ),
  karras([1, 3.5, 0.5, 7.5], 'tensor([3.5000, 0.0000])'),
  karras([3, 0.5, 0.25, 0.0001], 'tensor([0., 0., 0., 0.])'),
  karras([-1, 3.5, 0.5, 7.5], 'RuntimeError: number of steps must be non-negative'),
  karras(
    [9, 14.614642, 0.0291675, 7.5],
    'tensor([14.6146,  8.4507,  4.6799,  2.4639,  1.2216,  0.5633,  0.2376,  0.0896,\n         0.0292,  0.0000])',
  ),
  karras([2, 0.5, 0, -1.5], 'ZeroDivisionError: 0.0 cannot be raised to a negative power'),
  [
    'ExponentialScheduler',
    { steps: int(1), sigma_max: float(3.5), sigma_min: float(0.5) },
    'tensor([3.5000, 0.0000])',
  ],
  [
    'ExponentialScheduler',
    { steps: int(7), sigma_max: float(14.614642), sigma_min: float(0.0291675) },
    'tensor([14.6146,  5.1857,  1.8400,  0.6529,  0.2317,  0.0822,  0.0292,  0.0000])',
  ],
  [
    'ExponentialScheduler',
    { steps: int(3), sigma_max: float(0.5), sigma_min: float(0) },
    'ValueError: math domain error',
  ],
  [
    'PolyexponentialScheduler',
    { steps: int(-1), sigma_max: float(1.5), sigma_min: float(0), rho: float(1.5) },
    'RuntimeError: number of steps must be non-negative',
  ],
  [
    'LaplaceScheduler',
    {
      steps: int(1),
      sigma_max: float(3.5),
      sigma_min: float(0.5),
      mu: float(0.25),
      beta: float(0.5),
    },
    'tensor([3.5000])',
  ],
  [
    'VPScheduler',
    { steps: int(5), beta_d: float(19.9), beta_min: float(0.1), eps_s: float(0.001) },
    'tensor([1.5217e+02, 1.7049e+01, 3.4222e+00, 9.5753e-01, 1.0486e-02, 0.0000e+00])',
  ],
  ltxv([0, 2.05, true, 0.1], 'tensor([0.1000])'),
  ltxv([1, 2.05, true, 0.1], 'tensor([0.1000, 0.0000])'),
  ltxv([3, 2.05, true, 1], 'tensor([1., 1., 1., 0.])'),
  ltxv([3, 99.5, true, 0.1], 'tensor([nan, nan, nan, 0.])'),
  ltxv([-1, 2.05, true, 0.1], 'IndexError: index -1 is out of bounds for dimension 0 with size 0'),
  ltxv([4, 1000.5, false, 0.1], 'OverflowError: math range error'),
  [
    'FlipSigmas',
    { sigmas: complex },
    'tensor([ 1.0000e-04+0.0000e+00j, -5.0000e-01-4.3711e-08j,\n         9.5583e-01+2.6046e+00j,  1.4500e+01+0.0000e+00j])',
  ],
  ['SplitSigmas', { sigmas: complex, step: 1 }, 'tensor([14.5000+0.0000j,  0.9558+2.6046j])'],
  [
    'ExtendIntermediateSigmas',
    {
      sigmas: node('LTXVScheduler', {
        steps: 3,
        max_shift: 99.5,
        base_shift: 0.95,
        stretch: true,
        terminal: 0.1,
      }),
      steps: 3,
      start_at_sigma: -1,
      end_at_sigma: 0,
      spacing: 'linear',
    },
    'tensor([nan, nan, nan, 0.])',
  ],
]

test('schedules are those of torch', () => {
  expect(shownBy(rows)).toEqual(rows.map(([, , text]) => text))
})
