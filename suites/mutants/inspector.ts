// Wrong servers whose journal keeps from observers what happens.

import { each, type Mutants } from './tamper.ts'

export const inspector: Mutants = {
  'nodes-never-end': {
    breaks: ['inspector/nodes'],
    tamper: each((effect) =>
      effect.kind === 'node' && effect.state === 'success' ? [] : [effect],
    ),
  },
  'cached-nodes-run': {
    breaks: ['inspector/nodes'],
    tamper: each((effect) =>
      effect.kind === 'node' && effect.state === 'cached'
        ? [{ ...effect, state: 'started' }]
        : [effect],
    ),
  },
  'loses-silently': {
    breaks: ['inspector/lost'],
    tamper: each((effect) => (effect.kind === 'lost' ? [] : [effect])),
  },
  'loses-nothing': {
    breaks: ['inspector/lost'],
    tamper: each((effect) => (effect.kind === 'lost' ? [effect.message] : [effect])),
  },
}
