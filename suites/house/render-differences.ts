// Writes the chapter of PROTOCOL.md about what the description says and what real servers do.

import { hostedDifferences, localDifferences, silences } from '../../spec/index.ts'
import type { Difference } from '../../spec/differences.ts'
import { code, link, section, table } from './markdown.ts'

type Carriers = Pick<Difference, 'rules' | 'quirks' | 'refusals'>

/** Links to all that carries what this server does. */
const carriers = ({ rules, quirks = [], refusals = [] }: Carriers): string =>
  [
    ...rules.map((id) => link(id, `rule-${id}`)),
    ...quirks.map((id) => `quirk ${link(id, `quirk-${id}`)}`),
    ...refusals.map((name) => `refusal ${link(name, `refusal-${name}`)}`),
  ].join(', ')

const contradictions = (all: readonly Difference[]): string =>
  table(
    ['Topic', 'The description', 'Real servers', 'This server', 'By'],
    all.map((one) => [one.topic, one.stated, one.real, one.ours, carriers(one)]),
  )

export function differencesPart(): string {
  return section(
    'Where the description and real servers differ',
    'What the description states holds, and where it is silent what real servers do; the other behaviour is a ' +
      `${link('quirk', 'quirks')} where a client can tell the two apart. On local, where the real server is ` +
      'ComfyUI 0.3.64:',
    contradictions(localDifferences),
    'What the description does not show:',
    table(
      ['Topic', 'Real servers', 'This server', 'By'],
      silences.map((one) => [one.topic, one.real, one.ours, carriers(one)]),
    ),
    'On hosted, where "real" is what is published about the hosted API, or what clients of it saw. Of this ' +
      `document the rules that hold on hosted alone are not served yet. ${code('{prompt_id}')} stands for an id:`,
    contradictions(hostedDifferences),
  )
}
