// Writes the chapter of PROTOCOL.md about differences between the description and real servers.

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

/** Links to the rules and quirks that implement what this server does. */
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
    'What the description states holds, and where it is silent what real servers do; the other behaviour is a ' +
      `${link('quirk', 'quirks')} where a client can tell the two apart. On local, where the real server is ` +
      'ComfyUI 0.3.64:',
    contradictions(localDifferences),
    'What the description does not show:',
    silent(silences),
    'On hosted, where "real" is what is published about the hosted API, or what clients of it saw:',
    contradictions(hostedDifferences),
    'At the webhook gateway, where the real one is the reference gateway of 2026:',
    contradictions(gatewayDifferences),
    'What the description of the gateway does not show:',
    silent(gatewaySilences),
  )
}
