// Regular expressions as Python 3.11.7 matches, replaces and refuses them: each row was computed with its `re`.

import { expect, test } from 'vitest'
import { exceptionText } from './rows.ts'
import { createNodeServer } from './server.ts'

/** Pattern, replacement and text, and what comes of them, without regard to case. */
const rows: readonly (readonly [pattern: string, replace: string, text: string, result: string])[] =
  [
    ['a(b)?', '[\\1]', 'aab', '[][b]'],
    ['(a)|b', '<\\1>', 'ab', '<a><>'],
    ['x*', '-', 'axb', '-a--b-'],
    ['\\b', '|', 'a b', '|a| |b|'],
    ['^', '>', 'a\nb', '>a\nb'],
    ['(?m)^', '>', 'a\nb', '>a\n>b'],
    ['$', '<', 'a\n', 'a<\n<'],
    ['(?P<k>\\w)=(?P<v>\\w)', '\\g<v>=\\g<k>', 'a=1 b=2', '1=a 2=b'],
    ['(a)(?(1)b|c)', '.', 'abac', '.ac'],
    ['(a)?(?(1)b|c)', '.', 'abcac', '..a.'],
    ['(?i)stra\u00dfe', '.', 'STRA\u1e9eE', '.'],
    ['k', '.', 'K\u212ak', '...'],
    ['s', '.', 'S\u017fs', '...'],
    ['i', '.', 'I\u0130\u0131i', '....'],
    ['\u03c3', '.', '\u03a3\u03c2\u03c3', '...'],
    ['(s)\\1', '.', 'ss s\u017f', '. s\u017f'],
    ['[\u03b1-\u03c9]+', '.', '\u0391\u03a3\u03c2', '.'],
    ['[K-\u212a]', '.', 'k\u00e9', '..'],
    ['(?a:\\w)+', '.', 'a\u00e9b', '.\u00e9.'],
    ['(?-i:A)', '.', 'aA', 'a.'],
    ['(?s:.)', '.', '\n', '.'],
    ['(?x) a b # c\n', '.', 'ab', '.'],
    ['(?>a*)ab', '.', 'aaab', 'aaab'],
    ['a*+b', '.', 'aab', '.'],
    ['(?:a|ab)(?:c|bcd)(d*)', '<\\1>', 'abcd', '<>'],
    ['(?<=a)b', '.', 'abb', 'a.b'],
    ['(?<!a)b', '.', 'abb', 'ab.'],
    ['(?=(a+))a*b\\1', '.', 'baaabac', 'baa.c'],
    ['(a+)+$', '.', 'aaa', '.'],
    ['(?:(a)|b)*', '<\\1>', 'ab', '<a><>'],
    ['((a)|b)*?c', '<\\2>', 'abc', '<a>'],
    ['(|a)+', '<\\1>', 'aa', '<><><><><>'],
    ['(?:|a){2,3}', '.', 'aa', '.....'],
    ['[]a]', '.', ']a', '..'],
    ['[^]a]', '.', ']ab', ']a.'],
    ['[a-\\x63]', '.', 'abcd', '...d'],
    ['{,2}a{,2}', '.', '{,2}aaa', 're.error: nothing to repeat at position 0'],
    ['a{,2}', '.', 'aaa', '...'],
    ['a{0}b', '.', 'ab', 'a.'],
    ['\\101', '.', 'A', '.'],
    ['(?#x)a', '.', 'a', '.'],
    ['(?i)(?m)^a', '.', 'A\na', '.\n.'],
    ['\\d', '.', '1\u0663\u00b2', '..\u00b2'],
    ['\\w', '.', '\u6f22_\u0301', '..\u0301'],
    ['[\\s]', '.', '\u001c\u0085\ufeff', '..\ufeff'],
    ['\\Aa|b\\Z', '.', 'ab', '..'],
    ['', '-', '\ud83d\ude00', '-\ud83d\ude00-'],
    ['a', '\\g<0>\\0\\12', 'a', 're.error: invalid group reference 12 at position 8'],
    ['a', '\\x', 'a', 're.error: bad escape \\x at position 0'],
    ['a', '\\1', 'a', 're.error: invalid group reference 1 at position 1'],
    ['a', '\\g<', 'a', 're.error: missing group name at position 3'],
    ['a', '\\g<a', 'a', 're.error: missing >, unterminated name at position 3'],
    ['a', '\\g<>', 'a', 're.error: missing group name at position 3'],
    ['a', '\\g<b>', 'a', "IndexError: unknown group name 'b'"],
    ['a', '\\g<1 2>', 'a', "re.error: bad character in group name '1 2' at position 3"],
    ['(a)', '\\g<+1>\\g< 1 >', 'a', 'aa'],
    [
      'a',
      '\\400',
      'a',
      're.error: octal escape value \\400 outside of range 0-0o377 at position 0',
    ],
    ['a', '\\', 'a', 're.error: bad escape (end of pattern) at position 0'],
    ['a', '\\8', 'a', 're.error: invalid group reference 8 at position 1'],
    ['a', '\\', 'x', 're.error: bad escape (end of pattern) at position 0'],
    ['a', '\\.\\-', 'a', '\\.\\-'],
    ['a', '\n\\q', 'a', 're.error: bad escape \\q at position 1 (line 2, column 1)'],
    ['*', '', 'a', 're.error: nothing to repeat at position 0'],
    ['a**', '', 'a', 're.error: multiple repeat at position 2'],
    ['a{2,1}', '', 'a', 're.error: min repeat greater than max repeat at position 2'],
    ['a{4294967295}', '', 'a', 'OverflowError: the repetition number is too large'],
    ['(', '', 'a', 're.error: missing ), unterminated subpattern at position 0'],
    ['a)', '', 'a', 're.error: unbalanced parenthesis at position 1'],
    ['[a', '', 'a', 're.error: unterminated character set at position 0'],
    ['[b-a]', '', 'a', 're.error: bad character range b-a at position 1'],
    ['[\\d-z]', '', 'a', 're.error: bad character range \\d-z at position 1'],
    ['\\', '', 'a', 're.error: bad escape (end of pattern) at position 0'],
    ['*\\', '', 'a', 're.error: bad escape (end of pattern) at position 1'],
    ['\\q', '', 'a', 're.error: bad escape \\q at position 0'],
    ['\\x1', '', 'a', 're.error: incomplete escape \\x1 at position 0'],
    ['\\U00110000', '', 'a', 're.error: bad escape \\U00110000 at position 0'],
    ['\\8', '', 'a', 're.error: invalid group reference 8 at position 1'],
    ['\\400', '', 'a', 're.error: octal escape value \\400 outside of range 0-0o377 at position 0'],
    ['(?', '', 'a', 're.error: unexpected end of pattern at position 2'],
    ['(?P', '', 'a', 're.error: unexpected end of pattern at position 3'],
    ['(?Px)', '', 'a', 're.error: unknown extension ?Px at position 1'],
    ['(?P<', '', 'a', 're.error: missing group name at position 4'],
    ['(?P<1>a)', '', 'a', "re.error: bad character in group name '1' at position 4"],
    [
      '(?P<a>a)(?P<a>b)',
      '',
      'a',
      "re.error: redefinition of group name 'a' as group 2; was group 1 at position 12",
    ],
    ['(?P=a)', '', 'a', "re.error: unknown group name 'a' at position 4"],
    ['(a\\1)', '', 'a', 're.error: cannot refer to an open group at position 2'],
    ['(?(2)a)', '', 'a', 're.error: invalid group reference 2 at position 3'],
    ['(?(0)a)', '', 'a', 're.error: bad group number at position 3'],
    [
      '(a)(?(1)b|c|d)',
      '',
      'a',
      're.error: conditional backref with more than two branches at position 11',
    ],
    ['(?<=a*)', '', 'a', 're.error: look-behind requires fixed-width pattern'],
    [
      '(?<=(a)\\1)',
      '',
      'a',
      're.error: cannot refer to group defined in the same lookbehind subpattern at position 9',
    ],
    ['(?<a', '', 'a', 're.error: unknown extension ?<a at position 1'],
    ['(?z)', '', 'a', 're.error: unknown extension ?z at position 1'],
    ['(?i', '', 'a', 're.error: missing -, : or ) at position 3'],
    ['(?i-', '', 'a', 're.error: missing flag at position 4'],
    ['(?-i', '', 'a', 're.error: missing : at position 4'],
    ['(?i-i:a)', '', 'a', 're.error: bad inline flags: flag turned on and off at position 5'],
    [
      '(?au:a)',
      '',
      'a',
      "re.error: bad inline flags: flags 'a', 'u' and 'L' are incompatible at position 4",
    ],
    [
      '(?-a:b)',
      '',
      'a',
      "re.error: bad inline flags: cannot turn off flags 'a', 'u' and 'L' at position 4",
    ],
    [
      '(?L)a',
      '',
      'a',
      "re.error: bad inline flags: cannot use 'L' flag with a str pattern at position 3",
    ],
    ['a(?i)', '', 'a', 're.error: global flags not at the start of the expression at position 1'],
    ['(?a)(?u)', '', 'a', 'ValueError: ASCII and UNICODE flags are incompatible'],
    ['(?#a', '', 'a', 're.error: missing ), unterminated comment at position 0'],
    ['(?#\\)', '', 'a', 're.error: missing ), unterminated comment at position 0'],
    [
      'a\n(',
      '',
      'a',
      're.error: missing ), unterminated subpattern at position 2 (line 2, column 1)',
    ],
    ['\\N', '', 'a', 're.error: missing { at position 2'],
    ['a{1', 'x', 'a{1', 'x'],
    ['(?t:a)', '', 'a', 're.error: bad inline flags: cannot turn on global flag at position 3'],
  ]

test('expressions replace what they replace in Python, or fail with its errors', () => {
  const { run } = createNodeServer('folders')
  const results = rows.map(([regex_pattern, replace, string]) => {
    const { outputs, failure } = run('RegexReplace', { string, regex_pattern, replace })
    return failure === undefined ? outputs?.[0]?.[0].value : exceptionText(failure)
  })
  expect(results).toEqual(rows.map(([, , , result]) => result))
})

const flags = { case_insensitive: true, multiline: false, dotall: false }

/** They take long, or go deep; a limit ends them. */
const long: readonly (readonly [pattern: string, text: string, matches: boolean | undefined])[] = [
  ['(?:ab)*c', `${'ab'.repeat(100_000)}c`, true],
  ['(\\w+\\s?)+$', 'word '.repeat(20_000), true],
  [`${'('.repeat(400)}a${')'.repeat(400)}`, 'a', true],
  ['(a+)+$', `${'a'.repeat(40)}b`, undefined],
  ['(?:(?:){100000}){100000}', 'a', undefined],
  ['('.repeat(5000), 'a', undefined],
]

test('long texts need no deep recursion, and endless searches end', () => {
  const { run } = createNodeServer('folders')
  const results = long.map(([regex_pattern, string]) => {
    const { outputs, failure } = run('RegexMatch', { string, regex_pattern, ...flags })
    return failure === undefined ? outputs?.[0]?.[0].value : undefined
  })
  expect(results).toEqual(long.map(([, , matches]) => matches))
})
