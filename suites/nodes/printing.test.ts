// Tensors as torch 2.13.0 prints them and cases of Python 3.11.7 (Unicode 14): each row was computed with them.

import { expect, test } from 'vitest'
import { createRead, paint, printed, Tensor } from '../../dist/emulator/internal.js'
import { createNodeServer } from './server.ts'

type Row = readonly [
  shape: readonly number[],
  values: readonly number[],
  dtype: string,
  text: string,
]

const rows: readonly Row[] = [
  [[], [0], 'float32', 'tensor(0.)'],
  [[], [-2.5], 'float32', 'tensor(-2.5000)'],
  [[0], [], 'float32', 'tensor([])'],
  [[2, 0], [], 'float32', 'tensor([], size=(2, 0))'],
  [[3], [1, 2, 3], 'float32', 'tensor([1., 2., 3.])'],
  [[3], [0, -0, 0], 'float32', 'tensor([0., -0., 0.])'],
  [[4], [0, 1000, 1, -3], 'float32', 'tensor([   0., 1000.,    1.,   -3.])'],
  [[2], [1, 1001], 'float32', 'tensor([1.0000e+00, 1.0010e+03])'],
  [[3], [100000000, 1, 200000], 'float32', 'tensor([1.0000e+08, 1.0000e+00, 2.0000e+05])'],
  [[2], [200000000, 200000000], 'float32', 'tensor([2.0000e+08, 2.0000e+08])'],
  [[4], [1.5, NaN, Infinity, -Infinity], 'float32', 'tensor([1.5000,    nan,    inf,   -inf])'],
  [[2], [NaN, Infinity], 'float32', 'tensor([nan, inf])'],
  [[3], [1, NaN, -2], 'float32', 'tensor([ 1., nan, -2.])'],
  [[3], [9e-5, 0.5, 0], 'float32', 'tensor([9.0000e-05, 5.0000e-01, 0.0000e+00])'],
  [[2], [0.03125, 0.5], 'float32', 'tensor([0.0312, 0.5000])'],
  [[2], [-0.03125, 0.09375], 'float32', 'tensor([-0.0312,  0.0938])'],
  [[2], [1031250, 1], 'float32', 'tensor([1.0312e+06, 1.0000e+00])'],
  [[3], [1e-45, 1, 3e38], 'float32', 'tensor([1.4013e-45, 1.0000e+00, 3.0000e+38])'],
  [
    [2, 2],
    [0.1, -12, 3, 4],
    'float32',
    'tensor([[  0.1000, -12.0000],\n        [  3.0000,   4.0000]])',
  ],
  [
    [2, 1, 2],
    [0.1, 0.2, 0.3, 0.4],
    'float32',
    'tensor([[[0.1000, 0.2000]],\n\n        [[0.3000, 0.4000]]])',
  ],
  [[1, 2, 1, 2], [1, 2, 3, 4], 'float32', 'tensor([[[[1., 2.]],\n\n         [[3., 4.]]]])'],
  [
    [12],
    Array.from({ length: 12 }, (_, at) => at / 7 - 0.8),
    'float32',
    'tensor([-0.8000, -0.6571, -0.5143, -0.3714, -0.2286, -0.0857,  0.0571,  0.2000,\n         0.3429,  0.4857,  0.6286,  0.7714])',
  ],
  [
    [1100],
    Array.from({ length: 1100 }, (_, at) => at % 7),
    'float32',
    'tensor([0., 1., 2.,  ..., 5., 6., 0.])',
  ],
  [
    [2, 600],
    Array.from({ length: 1200 }, (_, at) => at / 10),
    'float32',
    'tensor([[0.0000e+00, 1.0000e-01, 2.0000e-01,  ..., 5.9700e+01, 5.9800e+01,\n         5.9900e+01],\n        [6.0000e+01, 6.0100e+01, 6.0200e+01,  ..., 1.1970e+02, 1.1980e+02,\n         1.1990e+02]])',
  ],
  [
    [8, 130, 1],
    Array.from({ length: 1040 }, (_, at) => ((37 * at) % 11) / 10),
    'float32',
    'tensor([[[0.0000],\n         [0.4000],\n         [0.8000],\n         ...,\n         [0.2000],\n         [0.6000],\n         [1.0000]],\n\n        [[0.3000],\n         [0.7000],\n         [0.0000],\n         ...,\n         [0.5000],\n         [0.9000],\n         [0.2000]],\n\n        [[0.6000],\n         [1.0000],\n         [0.3000],\n         ...,\n         [0.8000],\n         [0.1000],\n         [0.5000]],\n\n        ...,\n\n        [[0.4000],\n         [0.8000],\n         [0.1000],\n         ...,\n         [0.6000],\n         [1.0000],\n         [0.3000]],\n\n        [[0.7000],\n         [0.0000],\n         [0.4000],\n         ...,\n         [0.9000],\n         [0.2000],\n         [0.6000]],\n\n        [[1.0000],\n         [0.3000],\n         [0.7000],\n         ...,\n         [0.1000],\n         [0.5000],\n         [0.9000]]])',
  ],
  [[3], [0, -1, 100], 'int64', 'tensor([  0,  -1, 100])'],
  [[0], [], 'int64', 'tensor([], dtype=torch.int64)'],
  [[2, 2], [1, 0, 0, 1], 'bool', 'tensor([[ True, False],\n        [False,  True]])'],
  [[], [1], 'bool', 'tensor(True)'],
  [[2], [1, 255], 'uint8', 'tensor([  1, 255], dtype=torch.uint8)'],
  [
    [8],
    [0, -99999, -1, -4, -99999, 1, 5, -1],
    'int32',
    'tensor([     0, -99999,     -1,     -4, -99999,      1,      5,     -1],\n       dtype=torch.int32)',
  ],
  [[2], [0.5, 2.25], 'float16', 'tensor([0.5000, 2.2500], dtype=torch.float16)'],
  [[], [1.5, -2], 'complex64', 'tensor(1.5000-2.j)'],
  [[2], [1, 2, 3, -4], 'complex64', 'tensor([1.+2.j, 3.-4.j])'],
  [
    [3],
    [14.6146, 0, -0.01, -8.7e-10, 0, -0],
    'complex64',
    'tensor([ 1.4615e+01+0.0000e+00j, -1.0000e-02-8.7000e-10j,\n         0.0000e+00-0.0000e+00j])',
  ],
  [[2], [0.5, NaN, 100, 0.25], 'complex64', 'tensor([  0.5000+nanj, 100.0000+0.2500j])'],
]

/** The parts of complex numbers alternate. */
function tensorOf(shape: readonly number[], values: readonly number[], dtype: string) {
  const data = Float32Array.from(values)
  const sides = shape.length > 1 ? shape.slice(1) : shape
  const size = sides.reduce((all, side) => all * side, dtype === 'complex64' ? 2 : 1)
  return new Tensor(shape, (index) => data.subarray(index * size, (index + 1) * size), dtype)
}

test('tensors print as in torch', () => {
  const texts = rows.map(([shape, values, dtype]) =>
    printed(tensorOf(shape, values, dtype), createRead(paint)),
  )
  expect(texts).toEqual(rows.map(([, , , text]) => text))
})

const modes = ['UPPERCASE', 'lowercase', 'Title Case', 'Capitalize']

/** A text in upper case, lower case, title case, and with a capital in front. */
const cases: readonly (readonly string[])[] = [
  [
    'stra\u00dfe \ufb01x',
    'STRASSE FIX',
    'stra\u00dfe \ufb01x',
    'Stra\u00dfe Fix',
    'Stra\u00dfe \ufb01x',
  ],
  [
    '\u0391\u03a3 \u03a3\u0391 \u0391\u03a3.',
    '\u0391\u03a3 \u03a3\u0391 \u0391\u03a3.',
    '\u03b1\u03c2 \u03c3\u03b1 \u03b1\u03c2.',
    '\u0391\u03c2 \u03a3\u03b1 \u0391\u03c2.',
    '\u0391\u03c2 \u03c3\u03b1 \u03b1\u03c2.',
  ],
  [
    '\u0130stanbul \u0131\u017f',
    '\u0130STANBUL IS',
    'i\u0307stanbul \u0131\u017f',
    '\u0130stanbul I\u017f',
    '\u0130stanbul \u0131\u017f',
  ],
  [
    '\u01c6 \u01c5 \u01c4 \u0149a',
    '\u01c4 \u01c4 \u01c4 \u02bcNA',
    '\u01c6 \u01c6 \u01c6 \u0149a',
    '\u01c5 \u01c5 \u01c5 \u02bcNa',
    '\u01c5 \u01c6 \u01c6 \u0149a',
  ],
  [
    "they're o'neil 3rd x1y",
    "THEY'RE O'NEIL 3RD X1Y",
    "they're o'neil 3rd x1y",
    "They'Re O'Neil 3Rd X1Y",
    "They're o'neil 3rd x1y",
  ],
  [
    '\u1f80\u1fb3\u1fb2 \u0390',
    '\u1f08\u0399\u0391\u0399\u1fba\u0399 \u0399\u0308\u0301',
    '\u1f80\u1fb3\u1fb2 \u0390',
    '\u1f88\u1fb3\u1fb2 \u0399\u0308\u0301',
    '\u1f88\u1fb3\u1fb2 \u0390',
  ],
  [
    '\u10d0\u10d1 \u13f8\uab70',
    '\u1c90\u1c91 \u13f0\u13a0',
    '\u10d0\u10d1 \u13f8\uab70',
    '\u10d0\u10d1 \u13f0\uab70',
    '\u10d0\u10d1 \u13f8\uab70',
  ],
  [
    '\u019b\u0264 \ua7da',
    '\u019b\u0264 \ua7da',
    '\u019b\u0264 \ua7da',
    '\u019b\u0264 \ua7da',
    '\u019b\u0264 \ua7da',
  ],
  [
    '\ud801\udc28 \u24d0\u2175',
    '\ud801\udc00 \u24b6\u2165',
    '\ud801\udc28 \u24d0\u2175',
    '\ud801\udc00 \u24b6\u2175',
    '\ud801\udc00 \u24d0\u2175',
  ],
  [
    '\u00aa\u00ba \u02b0a\u0345',
    '\u00aa\u00ba \u02b0A\u0399',
    '\u00aa\u00ba \u02b0a\u0345',
    '\u00aa\u00ba \u02b0a\u0345',
    '\u00aa\u00ba \u02b0a\u0345',
  ],
]

test('texts change their case as in Python', () => {
  const { run } = createNodeServer('folders')
  const results = cases.map(([string]) => [
    string,
    ...modes.map((mode) => run('CaseConverter', { string, mode }).outputs?.[0]?.[0].value),
  ])
  expect(results).toEqual(cases)
})
