// Wrong hosted servers that break rules of streams in the hosted API v2.

import type { Effect } from 'flowdouble'
import { events, confused, textIn } from './paths.ts'
import { each, onReply, type Mutants } from '../tamper.ts'

/** Changes what streams send, from their beginning on. */
const onStream = (change: (text: string) => string) =>
  each((effect: Effect) => {
    if (effect.kind === 'chunk') return [{ ...effect, text: change(effect.text) }]
    const isStream =
      effect.kind === 'reply' && effect.headers['Content-Type'] === 'text/event-stream'
    return isStream ? [{ ...effect, body: change(textIn(effect.body)) }] : [effect]
  })

/** Streams without the events of this name. */
const withoutEvents = (name: string) =>
  onStream((text) => text.replace(new RegExp(`event: ${name}\ndata: .*\n\n`, 'g'), ''))

export const streams: Mutants = {
  'events-have-ids': {
    breaks: ['v2-streams/form'],
    tamper: onStream((text) => text.replaceAll('event:', 'id: 1\nevent:')),
  },
  'begins-without-a-status': {
    breaks: ['v2-streams/snapshot', 'v2-streams/reconnect'],
    tamper: onReply(events, ({ body }) => ({
      body: textIn(body).replace(/^event: status\ndata: .*\n\n/, ''),
    })),
  },
  'transitions-are-silent': {
    breaks: ['v2-streams/transitions'],
    tamper: onStream((text) => text.replace(/event: status\ndata: {"status":"running"}\n\n/, '')),
  },
  'outputs-are-missing': {
    breaks: ['v2-streams/outputs-first', 'v2-streams/of-the-past'],
    tamper: withoutEvents('output'),
  },
  'outputs-follow-the-end': {
    breaks: ['v2-streams/outputs-first'],
    tamper: onStream((text) => {
      const [, before = '', last = ''] =
        /^(.*)(event: status\ndata: {"status":"succeeded"}\n\n)$/s.exec(text) ?? []
      return last === '' ? text : last + before
    }),
  },
  'progress-is-partial': {
    breaks: ['v2-streams/progress', 'v2-streams/snapshot'],
    tamper: onStream((text) => text.replace(/"nodes_done":\d+,/g, '')),
  },
  'previews-are-missing': { breaks: ['v2-streams/previews'], tamper: withoutEvents('preview') },
  'silence-is-endless': {
    breaks: ['v2-streams/silence'],
    tamper: onStream((text) => text.replace(': keepalive\n\n', '')),
  },
  'streams-are-unlimited': { breaks: ['v2-streams/most'], tamper: confused(events, 429, 200) },
}
