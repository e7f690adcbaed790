// Nodes for texts: cases, parts, lengths, regular expressions.

import { type Graph, node } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { errorOf } from '../../judge/failures.ts'

/** What each node of a graph returns as text, or the exception that ends the run. */
async function texts(
  { connect, run, unique }: Subject,
  graph: Graph,
): Promise<Record<string, unknown>> {
  const shown = Object.keys(graph).map((id) => [
    `show ${id}`,
    node('PreviewAny', { source: [id, 0] }),
  ])
  const { entry, messages } = await run(await connect(unique('me')), {
    ...graph,
    ...Object.fromEntries(shown),
  })
  const error = errorOf({ messages })
  if (error !== undefined)
    return { type: error['exception_type'], message: error['exception_message'] }
  const outputs = Object.entries<any>(entry.outputs)
  return Object.fromEntries(outputs.map(([id, { text }]) => [id.slice('show '.length), text[0]]))
}

proves('nodes/texts', async (subject) => {
  const string = 'Straße 漢😀'
  const graph = {
    upper: node('CaseConverter', { string, mode: 'UPPERCASE' }),
    title: node('CaseConverter', { string: "it's o'neil", mode: 'Title Case' }),
    length: node('StringLength', { string }),
    part: node('StringSubstring', { string, start: -2, end: 100 }),
    joined: node('StringConcatenate', { string_a: 'a', string_b: 'b', delimiter: '-' }),
    between: node('StringReplace', { string: 'ab', find: '', replace: '-' }),
    trimmed: node('StringTrim', { string: '\u00a0 x\t', mode: 'Both' }),
    found: node('StringContains', { string, substring: 'STR', case_sensitive: false }),
    starts: node('StringCompare', {
      string_a: string,
      string_b: 'str',
      mode: 'Starts With',
      case_sensitive: true,
    }),
  }
  expect(await texts(subject, graph)).toEqual({
    upper: 'STRASSE 漢😀',
    title: "It'S O'Neil",
    length: '9',
    part: '漢😀',
    joined: 'a-b',
    between: '-a-b-',
    trimmed: 'x',
    found: 'True',
    starts: 'False',
  })
})

const flags = { case_insensitive: false, multiline: false, dotall: false }

proves('nodes/expressions', async (subject) => {
  const string = 'k1=v1, k2=v2'
  const pairs = { string, regex_pattern: '(?P<key>\\w+)=(\\w+)', ...flags }
  const graph = {
    first: node('RegexExtract', { ...pairs, mode: 'First Match', group_index: 1 }),
    groups: node('RegexExtract', { ...pairs, mode: 'All Groups', group_index: 2 }),
    swapped: node('RegexReplace', { ...pairs, replace: '\\2=\\g<key>', count: 0 }),
    empty: node('RegexReplace', { string: 'baac', regex_pattern: 'a*', replace: 'x' }),
    broken: node('RegexMatch', { string, regex_pattern: '(', ...flags }),
    digits: node('RegexMatch', { string: '٣', regex_pattern: '^\\d$', ...flags }),
  }
  expect(await texts(subject, graph)).toEqual({
    first: 'k1=v1',
    groups: 'v1\nv2',
    swapped: 'v1=k1, v2=k2',
    empty: 'xbxxcx',
    broken: 'False',
    digits: 'True',
  })
  const failing = { one: node('RegexReplace', { string, regex_pattern: '(a', replace: 'x' }) }
  expect(await texts(subject, failing)).toEqual({
    type: 're.error',
    message: 'missing ), unterminated subpattern at position 0\n',
  })
})

proves(
  'nodes/expressions-bounded',
  async (subject) => {
    const string = `${'a'.repeat(60)}b`
    for (const regex_pattern of ['(a+)+$', '(a|a)*c', '(?:(a*)*)*c']) {
      const graph = { one: node('RegexReplace', { string, regex_pattern, replace: 'x' }) }
      expect(await texts(subject, graph)).toMatchObject({ type: 'TimeoutError' })
    }
  },
  ownWorld,
)
