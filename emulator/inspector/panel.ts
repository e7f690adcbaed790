// Draws the panel beside the session: the details of what is selected, the log, or the faults in force.

import { details } from './draw/details.ts'
import { type Child, el, fill } from './draw/dom.ts'
import { log } from './draw/log.ts'
import type { Actions, State, Tab } from './model/state.ts'

const tabs: readonly (readonly [Tab, string])[] = [
  ['details', 'Details'],
  ['log', 'Log'],
  ['faults', 'Faults'],
]

export function drawPanel(panel: HTMLElement, state: State, actions: Actions): void {
  const { session, tab } = state
  const list = tabs.filter(([name]) => name !== 'faults' || !session.isGateway)
  fill(
    document.querySelector('.tabs') as HTMLElement,
    ...list.map(([name, text]) =>
      el(
        'button',
        {
          class: 'tab',
          focus: `tab ${name}`,
          click: () => actions.show(name),
          attributes: { role: 'tab', 'aria-selected': `${name === tab}` },
        },
        text,
        name === 'faults' && session.faults.length > 0 ? ` ${session.faults.length}` : null,
      ),
    ),
  )
  const content =
    tab === 'log'
      ? log(state, actions)
      : tab === 'faults'
        ? faultList(state, actions)
        : details(state, actions)
  fill(panel, ...content)
  panel.className = tab
  if (tab === 'log' && state.selection === null) panel.scrollTop = panel.scrollHeight
}

const faultList = ({ faults }: State, actions: Actions): readonly Child[] => [
  faults.length === 0 && el('p', { class: 'dim' }, 'No fault is in force.'),
  ...faults.map(({ id, fault, applied }) =>
    el(
      'div',
      { class: 'fault-card' },
      el(
        'button',
        { class: 'link', focus: `fault ${id}`, click: () => actions.select(`f:${id}`) },
        id,
      ),
      el('span', { class: 'dim' }, ` applied ${applied} times`),
      el(
        'button',
        { class: 'remove', focus: `remove ${id}`, click: () => actions.removeFault(id) },
        'Remove',
      ),
      el('pre', {}, `when ${JSON.stringify(fault.when)}\nthen ${JSON.stringify(fault.then)}`),
    ),
  ),
]
