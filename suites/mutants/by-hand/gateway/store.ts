// Wrong gateways in what they store, and so in what they know after a kill.

import type { GatewayEffect } from 'flowdouble'
import { each, lets, onDelivery } from '../../gateway-tamper.ts'
import type { GatewayMutants } from '../../tamper.ts'

type Fact = Extract<GatewayEffect, { kind: 'store' }>['facts'][number]

/** Changes the facts that are to be stored, or leaves some out. */
const onFact = (change: (fact: Fact) => readonly Fact[]) =>
  each((effect) =>
    effect.kind === 'store' ? [{ ...effect, facts: effect.facts.flatMap(change) }] : [effect],
  )

/** Leaves out facts of a kind. */
const without = (kind: Fact['kind']) => onFact((fact) => (fact.kind === kind ? [] : [fact]))

export const store: GatewayMutants = {
  'runs-are-not-kept': {
    breaks: ['store/stored-first', 'store/run-at-least-once'],
    tamper: without('accepted'),
  },
  'answers-are-not-kept': {
    breaks: ['store/stored-first'],
    tamper: without('answered'),
  },
  'deliveries-are-not-noted': {
    breaks: ['store/delivered-once'],
    tamper: without('ended'),
  },
  'ids-are-not-kept': {
    breaks: ['store/ids-survive'],
    tamper: without('id'),
  },
  'direct-ids-are-final': {
    breaks: ['store/direct-lease'],
    tamper: onFact((fact) => [fact.kind === 'id' ? { ...fact, isLease: false } : fact]),
  },
  'each-attempt-has-a-new-key': {
    breaks: ['store/same-key'],
    tamper: () => {
      let count = 0
      return onDelivery(({ key }) => ({ key: `${key}.${++count}` }))()
    },
  },
  'what-is-not-kept-is-accepted': {
    breaks: ['store/failure'],
    tamper: lets(503),
  },
  'payloads-have-headers': {
    breaks: ['store/no-secrets'],
    tamper: onFact((fact) => [
      fact.kind === 'accepted'
        ? { ...fact, run: { ...fact.run, payload: `${fact.run.payload} X-Hub-Signature` } }
        : fact,
    ]),
  },
}
