// The details of what takes part in a session: a client, a fault, and an event of a gateway.

import { gapsOf, isMissed } from '../model/clients.ts'
import { body, facts, json, link, missing, part, title } from './detail-parts.ts'
import { type Child, el } from './dom.ts'
import { outcomeOf } from './events.ts'
import { textOf } from '../../lib/loose.ts'
import { clockText } from '../model/scale.ts'
import type { Actions, State } from '../model/state.ts'

export function clientDetails(
  name: string,
  { session }: State,
  actions: Actions,
): readonly Child[] {
  const client = session.clients.find((one) => one.name === name)
  if (client === undefined) return missing
  const counts = new Map<string, number>()
  for (const { type, state } of client.messages)
    if (state !== 'lost') counts.set(type, (counts.get(type) ?? 0) + 1)
  const lost = client.messages.filter(isMissed)
  const gaps = gapsOf(client, session.runs, session.now)
  return [
    title(name),
    part(
      'Sockets',
      facts(
        ...client.connections.map(
          ({ socket, from, to, how, entry }) =>
            [
              `#${socket}`,
              el(
                'span',
                {},
                link(
                  actions,
                  `e${entry}`,
                  `${clockText(from)} to ${to === null ? 'now' : clockText(to)}`,
                ),
                how === null ? ' open' : ` ${how}`,
              ),
            ] as const,
        ),
      ),
    ),
    part(
      'Missed',
      ...lost.map((one) =>
        el(
          'p',
          {},
          link(actions, `m${one.key}`, `${one.type} at ${clockText(one.at)}`, 'bad'),
          ' by a fault',
        ),
      ),
      ...gaps.map(({ from, to, missed }) =>
        el(
          'p',
          { class: 'warn' },
          `${missed}, while away from ${clockText(from)} to ${clockText(to)}`,
        ),
      ),
    ),
    part('Received', facts(...[...counts].map(([type, count]) => [type, `${count}`] as const))),
  ]
}

export function faultDetails(id: string, { session }: State, actions: Actions): readonly Child[] {
  const fault = session.faults.find((one) => one.id === id)
  const hits = session.hits.filter((one) => one.id === id)
  return [
    title(id),
    fault === undefined
      ? el('p', { class: 'dim' }, 'No longer in force.')
      : facts(['matched', `${fault.matched}`], ['applied', `${fault.applied}`]),
    fault && part('When', json(fault.fault.when)),
    fault && part('Then', json(fault.fault.then)),
    part(
      'Applied to',
      ...hits.map(({ entry, at }) =>
        el('p', {}, link(actions, `e${entry}`, `entry ${entry} at ${clockText(at)}`)),
      ),
    ),
    fault && el('button', { class: 'button', click: () => actions.removeFault(id) }, 'Remove'),
  ]
}

export function eventDetails(id: string, { session }: State, actions: Actions): readonly Child[] {
  const event = session.events.find((one) => one.id === id)
  if (event === undefined) return missing
  const { outcome, tone } = outcomeOf(event)
  const run = event.run?.content
  return [
    title(`${event.route} ${event.event ?? ''}`, tone),
    facts(
      ['delivery id', event.id],
      ['outcome', outcome],
      ['post', link(actions, `e${event.entry}`, `entry ${event.entry} at ${clockText(event.at)}`)],
      [
        'agent',
        event.run &&
          `${clockText(event.run.from)} to ${event.run.to === null ? 'now' : clockText(event.run.to)}`,
      ],
    ),
    ...event.deliveries.map(({ target, attempt, entry, to, error, content }) =>
      part(
        `Delivery ${attempt} to ${target}`,
        facts(
          ['ended', to === null ? 'not yet' : link(actions, `e${entry}`, clockText(to))],
          ['error', error === null ? null : el('span', { class: 'bad' }, error)],
        ),
        json(textOf(content['text']) ?? ''),
      ),
    ),
    part('Prompt', run && json(String(run['prompt']))),
    part('Answer', run && typeof run['answer'] === 'string' && json(run['answer'])),
    part('Payload', run && body(run['payload'])),
  ]
}
