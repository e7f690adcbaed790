// The inspector: the page that shows a world, and what only such an observer reads of its journal.

import { type Rules, chosen } from './language.ts'

export const rules = {
  ...chosen.both({
    'inspector/page':
      'GET /_flowdouble/ returns a page that shows a world and loads nothing from other addresses.',
  }),
  ...chosen.gateway({
    'inspector/gateway-page':
      'GET /_flowdouble/ of a gateway returns the same page, which shows posts and deliveries.',
  }),
  ...chosen.both({
    'inspector/guard':
      'What the page reads is for the same callers as the rest of the control API.',
    'inspector/guard-page':
      'The page itself is for them too, or with a control token for all callers: it asks for the token.',
    'inspector/token':
      'A token behind `#token=` in the address of the page goes from there, and opens what the page reads.',
    'inspector/link':
      'A browser that opens /_flowdouble without the slash is redirected to the page.',
    'inspector/escapes':
      'Text that a client or a scenario has chosen is text on the page, never markup.',
    'inspector/clock':
      'The control API returns the kind of the clock, its time, and when the next timer is due.',
    'inspector/journal-from':
      'A client reads the journal from an entry on, and can wait in real time for that entry.',
    'inspector/journal-earlier':
      'A journal without its beginning keeps open sockets, failed runs, refusals and true numbers.',
    'inspector/explain':
      'The control API explains an entry of the journal by its causes, reasons and rules.',
  }),
  ...chosen.gateway({
    'inspector/stored-runs':
      'The page of a gateway with a store lists its runs, shows one, and retries, cancels and drops it.',
    'inspector/gateway-explain': 'The control API of a gateway explains an entry of its journal.',
  }),
  ...chosen.both({
    'inspector/pictures':
      'The control API returns the pictures that were sent, by their entry and effect.',
    'inspector/nodes':
      'The journal has the begin and end of each node and why it failed, also if no socket listens.',
    'inspector/lost': 'The journal has each message that a fault keeps from sockets.',
  }),
} as const satisfies Rules
