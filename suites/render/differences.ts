// Writes the chapter of PROTOCOL.md about the differences between the description and real servers.

import {
  gatewayDifferences,
  gatewaySilences,
  hostedDifferences,
  localDifferences,
  silences,
} from '../../spec/index.ts'
import type { Difference } from '../../spec/truth/differences/difference.ts'
import { link, section, table } from './markdown.ts'

type Carriers = Omit<Difference, 'topic' | 'stated' | 'real' | 'ours'>

/** Links to everything that implements what this server does. */
const carriers = (one: Carriers): string =>
  [
    ...one.rules.map((id) => link(id, `rule-${id}`)),
    ...(one.quirks ?? []).map((id) => `quirk ${link(id, `quirk-${id}`)}`),
    ...(one.refusals ?? []).map((name) => `refusal ${link(name, `refusal-${name}`)}`),
    ...(one.hostedRefusals ?? []).map((name) => `refusal ${link(name, `hosted-refusal-${name}`)}`),
    ...(one.gatewayRefusals ?? []).map(
      (name) => `refusal ${link(name, `gateway-refusal-${name}`)}`,
    ),
  ].join(', ')

const contradictions = (all: readonly Difference[]): string =>
  table(
    ['Topic', 'The description', 'Real servers', 'This server', 'By'],
    all.map((one) => [one.topic, one.stated, one.real, one.ours, carriers(one)]),
  )

const silent = (all: readonly Omit<Difference, 'stated'>[]): string =>
  table(
    ['Topic', 'Real servers', 'This server', 'By'],
    all.map((one) => [one.topic, one.real, one.ours, carriers(one)]),
  )

export function differencesPart(): string {
  return section(
    'Where the description and real servers differ',
    'By default this server follows the description, and real servers where the description leaves something ' +
      `open. Where clients can see the difference, a ${link('quirk', 'quirks')} switches on the other ` +
      'behaviour. On local, compared with ComfyUI 0.3.64:',
    contradictions(localDifferences),
    'What the description leaves open:',
    silent(silences),
    'On hosted, where "real" is what is published about the hosted API, or what clients of it observed:',
    contradictions(hostedDifferences),
    'At the webhook gateway, compared with the reference gateway of 2026:',
    contradictions(gatewayDifferences),
    'What the description of the gateway leaves open:',
    silent(gatewaySilences),
  )
}
