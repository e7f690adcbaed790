// Templates: the form of payload values in a text.

import { proves } from '../../judge/proves.ts'
import { container, delivers, indented } from '../../judge/posts.ts'

proves('templates/texts', async (subject) => {
  const long = 'ü☃\u0000\n"'.repeat(10_000)
  await delivers(subject, '{a}', [
    [{ a: long }, long],
    [{ a: '' }, ''],
    [{ a: true }, 'True'],
    [{ a: false }, 'False'],
    [{ a: null }, 'None'],
    [{ a: 'true' }, 'true'],
  ])
})

proves('templates/integers', async (subject) => {
  const digits = '123456789012345678901234567890'
  await delivers(subject, '{a}', [
    ['{"a": 0}', '0'],
    ['{"a": -0}', '0'],
    ['{"a": -17}', '-17'],
    ['{"a": 9007199254740993}', '9007199254740993'],
    [`{"a": -${digits}}`, `-${digits}`],
    [`{"a": ${'9'.repeat(10_000)}}`, '9'.repeat(10_000)],
  ])
})

proves('templates/floats', async (subject) => {
  const texts = {
    '1.50': '1.5',
    '1.0': '1.0',
    '1E5': '100000.0',
    '0.0001': '0.0001',
    '0.00001': '1e-05',
    '1e16': '1e+16',
    '1e15': '1000000000000000.0',
    '1e21': '1e+21',
    '-0.0': '-0.0',
    '1e400': 'inf',
    '-1e400': '-inf',
    '5e-324': '5e-324',
    '0.1': '0.1',
    '123456789012345680.0': '1.2345678901234568e+17',
  }
  const pairs = Object.entries(texts).map(([json, text]) => [`{"a": ${json}}`, text] as const)
  await delivers(subject, '{a}', pairs)
})

proves('templates/containers', async (subject) => {
  await delivers(subject, '{a}', [
    [`{"a": ${container}}`, indented],
    ['{"a": [1, [2]]}', '[\n  1,\n  [\n    2\n  ]\n]'],
    ['{"a": []}', '[]'],
    ['{"a": {}}', '{}'],
    ['{"a": {"x": 1, "y": 2, "x": 3}}', '{\n  "x": 3,\n  "y": 2\n}'],
  ])
})

proves('templates/json-ascii', async (subject) => {
  await delivers(subject, '{a}', [
    [{ a: ['é☃😀'] }, '[\n  "\\u00e9\\u2603\\ud83d\\ude00"\n]'],
    [{ a: ['\u007f\u0000\u001f\b\f\n\r\t'] }, '[\n  "\\u007f\\u0000\\u001f\\b\\f\\n\\r\\t"\n]'],
    [{ a: ['</"\\'] }, '[\n  "</\\"\\\\"\n]'],
    [{ a: { ü: 1 } }, '{\n  "\\u00fc": 1\n}'],
    [
      '{"a": [1e400, 1E5, 12345678901234567890]}',
      '[\n  Infinity,\n  100000.0,\n  12345678901234567890\n]',
    ],
    ['{"a": ["\\ud800"]}', '[\n  "\\ud800"\n]'],
  ])
})
