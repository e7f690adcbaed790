// The bar above the session: what is shown, how, and which part of it.

import { type Child, el, fill } from './dom.ts'
import { everything, type Filter } from '../model/filter.ts'
import type { Actions, State, View } from '../model/state.ts'
import { storedStates } from '../model/stored.ts'

const views: readonly (readonly [View, string])[] = [
  ['timeline', 'Timeline'],
  ['requests', 'Requests'],
  ['stored', 'Stored runs'],
]

export function drawBar(element: HTMLElement, state: State, actions: Actions): void {
  const { filter, view, range, session, shown } = state
  const names = new Set([
    ...session.clients.map(({ name }) => name),
    ...session.runs.flatMap(({ client }) => client ?? []),
  ])
  const clients = [...names].map((name) => [name, name] as const)
  const runs = session.runs.map(({ id, number, state: how }) => {
    const text = how === 'error' ? ' failed' : how === 'success' ? '' : ` ${how}`
    return [id, `Run ${number}${text}`] as const
  })
  const isFiltered = Object.entries(everything).some(
    ([name, one]) => filter[name as keyof Filter] !== one,
  )
  fill(
    element,
    el(
      'div',
      { class: 'segments', attributes: { role: 'group', 'aria-label': 'View' } },
      ...views
        .filter(([name]) => name !== 'stored' || state.stored !== null)
        .map(([name, text]) =>
          toggle(
            name === 'requests' ? `${text} ${shown.requests.length}` : text,
            name === view,
            () => actions.view(name),
            `view ${name}`,
          ),
        ),
    ),
    ...(view === 'stored'
      ? [
          choice(
            'state',
            'All states',
            storedStates.map((one) => [one, one] as const),
            filter.state,
            (one) => actions.filter({ state: one }),
          ),
        ]
      : [
          searchField(filter, actions),
          toggle('Failures', filter.isFailing, () =>
            actions.filter({ isFailing: !filter.isFailing }),
          ),
        ]),
    clients.length > 1 &&
      choice('client', 'All clients', clients, filter.client, (client) =>
        actions.filter({ client }),
      ),
    runs.length > 1 &&
      choice('run', 'All runs', runs, filter.run, (run) => actions.filter({ run })),
    (isFiltered || range !== null) &&
      el('button', { class: 'link', focus: 'all', click: actions.showAll }, 'Show all'),
  )
}

const toggle = (text: string, isOn: boolean, click: () => void, focus = text): HTMLElement =>
  el('button', { class: 'toggle', focus, click, attributes: { 'aria-pressed': `${isOn}` } }, text)

/** The field keeps its element, so that the caret stays where it is. */
let field: HTMLInputElement | undefined

function searchField({ text }: Filter, actions: Actions): Child {
  if (field === undefined) {
    const own = el('input', {
      focus: 'search',
      attributes: {
        type: 'search',
        id: 'search',
        placeholder: 'Search, also in bodies',
        'aria-label': 'Search in paths, bodies, messages and nodes',
      },
    }) as HTMLInputElement
    own.addEventListener('input', () => actions.filter({ text: own.value }))
    field = own
  }
  if (field.value !== text) field.value = text
  return field
}

function choice(
  name: string,
  all: string,
  options: readonly (readonly [value: string, text: string])[],
  value: string,
  chosen: (value: string) => void,
): HTMLElement {
  const own = el(
    'select',
    {
      class: value === '' ? '' : 'on',
      focus: name,
      attributes: { 'aria-label': `Only one ${name}` },
    },
    ...[['', all] as const, ...options].map(([one, text]) =>
      el('option', { attributes: { value: one } }, text),
    ),
  ) as HTMLSelectElement
  own.value = value
  own.addEventListener('change', () => chosen(own.value))
  return own
}
