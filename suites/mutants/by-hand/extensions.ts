// Wrong servers that answer for extensions wrongly, or send their messages wrongly.

import {
  answers,
  each,
  isSent,
  type Mutants,
  onData,
  onMessage,
  onReply,
  type Tamper,
  turned,
} from '../tamper.ts'

/** Sends every second message of a type. */
const everySecond = (type: string) => (): Tamper => {
  let count = 0
  return onMessage(type, (message) => (count++ % 2 === 0 ? [message] : []))()
}

export const extensions: Mutants = {
  'answers-lack-headers': {
    breaks: ['scenario/answers', 'scenario/answer-content'],
    tamper: onReply(/ \/(etn|json)/, () => ({ headers: {} })),
  },
  'answers-once': {
    breaks: ['scenario/answer-order'],
    tamper: turned(/^PUT \/cache/, 200, 201),
  },
  'endpoints-stay': {
    breaks: ['scenario/answer-replaces'],
    tamper: onReply(/^GET \/queue/, () => ({ body: '{"queue_running": [], "queue_pending": []}' })),
  },
  'other-methods-are-404': {
    breaks: ['scenario/answer-other-method'],
    tamper: turned(/ \/(pack|only-post)/, 405, 404),
  },
  'awaited-request-is-unknown': {
    breaks: ['scenario/node-waits-reply'],
    tamper: answers(/^POST \/image_chooser_message/, 405),
  },
  'monitor-every-other-second': {
    breaks: ['scenario/message-every', 'scenario/message-faults'],
    tamper: everySecond('crystools.monitor'),
  },
  'greeting-is-late': {
    breaks: ['scenario/message-socket'],
    tamper: onMessage('hello', () => []),
  },
  'ids-stay-names': {
    breaks: ['scenario/message-ids'],
    tamper: onData('end', (data) => ({ ...data, id: '{node}' })),
  },
  'frames-without-event': {
    breaks: ['scenario/message-frame'],
    tamper: each((effect) =>
      effect.kind === 'frame' && effect.content.frame === 'scripted'
        ? [{ ...effect, content: { frame: 'recorded', bytes: effect.content.bytes } }]
        : [effect],
    ),
  },
  'choice-twice': {
    breaks: ['scenario/node-waits'],
    tamper: each((effect) => (isSent(effect, 'choose') ? [effect, effect] : [effect])),
  },
}
