// Nodes for regular expressions: what they find and replace, and how long they may take.

import { type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { errorIn, textsOf } from '../../judge/nodes/shown.ts'
import { ownWorld, proves } from '../../judge/proves.ts'

/** A graph that replaces what an expression matches, and shows the result. */
const replacing = (string: string, regex_pattern: string): Graph => ({
  one: node('RegexReplace', { string, regex_pattern, replace: 'x' }),
  show: node('PreviewAny', { source: ['one', 0] }),
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
  const sources = Object.fromEntries(Object.keys(graph).map((id) => [id, [id, 0]]))
  expect(await textsOf(subject, graph, sources)).toEqual({
    first: 'k1=v1',
    groups: 'v1\nv2',
    swapped: 'v1=k1, v2=k2',
    empty: 'xbxxcx',
    broken: 'False',
    digits: 'True',
  })
  expect(await errorIn(subject, replacing(string, '(a'))).toMatchObject({
    exception_type: 're.error',
    exception_message: 'missing ), unterminated subpattern at position 0\n',
  })
})

proves(
  'nodes/expressions-bounded',
  async (subject) => {
    const string = `${'a'.repeat(60)}b`
    for (const regex_pattern of ['(a+)+$', '(a|a)*c', '(?:(a*)*)*c']) {
      const error = await errorIn(subject, replacing(string, regex_pattern))
      expect(error).toMatchObject({ exception_type: 'TimeoutError' })
    }
  },
  ownWorld,
)
