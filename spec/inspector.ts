// The inspector: the page that shows a world, and what only such an observer reads of its journal.

import { both, gateway, type Rules } from './language.ts'

export const rules = {
  'inspector/page': {
    says: 'GET /_flowdouble/ returns a page that shows a world and loads nothing from other addresses.',
    basis: 'chosen',
    on: both,
  },
  'inspector/gateway-page': {
    says: 'GET /_flowdouble/ of a gateway returns the same page, which shows posts and deliveries.',
    basis: 'chosen',
    on: gateway,
  },
  'inspector/guard': {
    says: 'The page and what it reads are for the same callers as the rest of the control API.',
    basis: 'chosen',
    on: both,
  },
  'inspector/link': {
    says: 'A browser that opens /_flowdouble without the slash is redirected to the page.',
    basis: 'chosen',
    on: both,
  },
  'inspector/escapes': {
    says: 'Text that a client or a scenario has chosen is text on the page, never markup.',
    basis: 'chosen',
    on: both,
  },
  'inspector/clock': {
    says: 'The control API returns the kind of the clock, its time, and when the next timer is due.',
    basis: 'chosen',
    on: both,
  },
  'inspector/journal-from': {
    says: 'A client reads the journal from an entry on, and can wait in real time for that entry.',
    basis: 'chosen',
    on: both,
  },
  'inspector/journal-earlier': {
    says: 'A journal without its beginning keeps open sockets, failed runs, refusals and true numbers.',
    basis: 'chosen',
    on: both,
  },
  'inspector/explain': {
    says: 'The control API explains an entry of the journal by its causes, reasons and rules.',
    basis: 'chosen',
    on: both,
  },
  'inspector/gateway-explain': {
    says: 'The control API of a gateway explains an entry of its journal.',
    basis: 'chosen',
    on: gateway,
  },
  'inspector/pictures': {
    says: 'The control API returns the pictures that were sent, by their entry and effect.',
    basis: 'chosen',
    on: both,
  },
  'inspector/nodes': {
    says: 'The journal has the begin and end of each node and why it failed, also if no socket listens.',
    basis: 'chosen',
    on: both,
  },
  'inspector/lost': {
    says: 'The journal has each message that a fault keeps from sockets.',
    basis: 'chosen',
    on: both,
  },
} as const satisfies Rules
