// A server that many teams share: one address, a world for each job, and a token for each world.

import { chosen, type Rules } from './language.ts'

/** What a path below the name of no world means: as without worlds, nothing, or a new world. */
export const unknownWorlds = ['root', 'refuse', 'create'] as const
export type UnknownWorlds = (typeof unknownWorlds)[number]

export const rules = {
  ...chosen.both({
    'shared/put':
      'PUT of a world by its name creates it with 201; if it exists, it stays as it is, with 200.',
    'shared/unknown-refused':
      'With --unknown-worlds refuse, a path below the name of no world returns 404.',
    'shared/unknown-created':
      'With --unknown-worlds create, the first request below a name creates its world.',
    'shared/public-url': 'With --public-url the addresses of worlds in replies begin with it.',
    'shared/public-links':
      'With --public-url its path precedes the paths in redirects and jobs; links have --signed-base-url.',
    'shared/tokens':
      'With --world-tokens each world has a token, which the reply that creates it contains, and no other.',
    'shared/token-given': 'A world can be created with a token that its owner has chosen.',
    'shared/token-only':
      'Only its token opens the control paths of such a world, and the control token those of the root.',
    'shared/own-world':
      'The token of a world closes that world, and lists, creates or closes no other.',
    'shared/idle':
      'A world without a request and an open socket for --world-idle seconds is closed, with a line.',
    'shared/age': 'A world is closed after --world-age seconds, with a line.',
    'shared/most': 'Above --max-worlds a world is refused with 409, which says what to close.',
    'shared/world-mib':
      'With --world-mib a world is full with so many MiB of uploads, user files, or waiting workflows.',
    'shared/world-runs':
      'With --world-runs a submit to a world in which so many runs wait gets the refusal of a full queue.',
    'shared/world-own':
      'Whoever creates a world can give it other quotas: `worldMib` and `worldRuns` are its options.',
    'shared/memory':
      'Above --memory-mib worlds above their equal share of it lose the oldest of history and journal.',
    'shared/memory-order': 'Of these worlds those that nobody has used for longest lose first.',
    'shared/memory-share': 'A world below its share loses nothing, whatever the others take.',
    'shared/memory-said':
      'The server prints a line about it, and the journal of a world has an entry, from which it replays.',
    'shared/memory-full':
      'A world that stores more than its share meanwhile refuses bodies above 1024 bytes with 413.',
    'shared/saved':
      'With --state a server saves its worlds at its end, and the next one continues them.',
    'shared/saved-in-time':
      'With --state it also saves a new world immediately, and changed ones every --state-every seconds.',
    'shared/saved-whole':
      'A world that is saved and continued after each input behaves like one that never was.',
    'shared/saved-clients':
      'A world that is continued has no sockets, streams or waiting requests.',
    'shared/saved-time':
      'What was due by a running clock while nothing ran happens when it continues.',
    'shared/saved-uploads': 'Each upload is stored once, and removed when no saved world has it.',
    'shared/saved-closed': 'A world that is closed is not there after a restart.',
    'shared/saved-version':
      'A file that is damaged, or of another version or deployment, is refused with the reason.',
    'shared/saved-options':
      'A server whose options differ from those of its saved world is refused with their names.',
    'shared/saved-folder':
      'A folder that cannot be used is refused; if it fails later, a line says so, and the server goes on.',
    'shared/saved-alone':
      'A second server with the same --state is refused while the first one runs.',
    'shared/download':
      'The state of a world is a file, taken up to 1024 MiB, that continues it without its journal.',
    'shared/download-own': 'Where worlds have tokens, only its token returns the state of a world.',
    'shared/metrics':
      'GET /_flowdouble/metrics returns what all worlds do and take, in the text format of Prometheus.',
    'shared/metrics-open':
      'Every caller can read the metrics: they contain no secret and name no world.',
    'shared/listed': 'The list of worlds has the age, idle time, size, runs and sockets of each.',
    'shared/page':
      'With --world-tokens /_flowdouble/ of the root is a page that lists, creates and closes worlds.',
    'shared/workers':
      'With --workers N processes serve worlds; the address of the admin creates, lists and closes them.',
    'shared/workers-place': 'The name of a world chooses its worker, the same after every start.',
    'shared/workers-elsewhere':
      'The address of the admin has no world: below a name it says where that world is, with 404.',
    'shared/workers-restart':
      'A worker that ends is started again at its port; meanwhile its worlds are refused with 503.',
    'shared/workers-state':
      'With --state each worker continues its worlds; the folder of another number of them is refused.',
    'shared/workers-page':
      'The address of the admin has the page of the worlds, which leads to their inspectors.',
    'shared/workers-health':
      'There /_flowdouble/health says which workers listen; while not all do, it is not ready.',
    'shared/workers-secrets': 'The command lines of workers contain no token.',
    'shared/workers-metrics': 'The metrics at the address of the admin are those of all workers.',
    'shared/workers-fit':
      'What one process alone can do is refused beside --workers, with what to do.',
    'shared/workers-end': 'Workers end with their parent, even if it is killed.',
    'shared/worker':
      'A world of the worker answers like one of a server, apart from a declared list of rules.',
    'shared/worker-tokens':
      'The control token creates worlds of the worker, whose tokens alone open their control paths.',
    'shared/worker-evicted':
      'A world of the worker continues as if its object had neither slept nor been thrown away.',
    'shared/worker-killed':
      'What a world of the worker has answered is there after its process was killed.',
    'shared/flag':
      '`serve --shared` switches all of this on, sends no previews, and needs a control token.',
  }),
} as const satisfies Rules
