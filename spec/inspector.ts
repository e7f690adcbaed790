// The inspector: the page that shows a world, and what only such an observer reads of its journal.

import { type Rules, chosen } from './language.ts'

export const rules = {
  'inspector/page': chosen.both(
    'GET /_flowdouble/ returns a page that shows a world and loads nothing from other addresses.',
  ),
  'inspector/gateway-page': chosen.gateway(
    'GET /_flowdouble/ of a gateway returns the same page, which shows posts and deliveries.',
  ),
  'inspector/guard': chosen.both(
    'The page and what it reads are for the same callers as the rest of the control API.',
  ),
  'inspector/link': chosen.both(
    'A browser that opens /_flowdouble without the slash is redirected to the page.',
  ),
  'inspector/escapes': chosen.both(
    'Text that a client or a scenario has chosen is text on the page, never markup.',
  ),
  'inspector/clock': chosen.both(
    'The control API returns the kind of the clock, its time, and when the next timer is due.',
  ),
  'inspector/journal-from': chosen.both(
    'A client reads the journal from an entry on, and can wait in real time for that entry.',
  ),
  'inspector/journal-earlier': chosen.both(
    'A journal without its beginning keeps open sockets, failed runs, refusals and true numbers.',
  ),
  'inspector/explain': chosen.both(
    'The control API explains an entry of the journal by its causes, reasons and rules.',
  ),
  'inspector/gateway-explain': chosen.gateway(
    'The control API of a gateway explains an entry of its journal.',
  ),
  'inspector/pictures': chosen.both(
    'The control API returns the pictures that were sent, by their entry and effect.',
  ),
  'inspector/nodes': chosen.both(
    'The journal has the begin and end of each node and why it failed, also if no socket listens.',
  ),
  'inspector/lost': chosen.both('The journal has each message that a fault keeps from sockets.'),
} as const satisfies Rules
