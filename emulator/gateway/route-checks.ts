// What is known to be wrong with the deliveries of a route before the first one: no chat, no credential, no sender.

import {
  commentTarget,
  logTarget,
  originTarget,
  type Sender,
  senders,
  targets,
} from '../../spec/gateway/deliveries.ts'
import type { Route } from './state/routes.ts'
import { type Chats, chatPlace } from './targets.ts'

/** Where the deliveries of a gateway go. */
export type DeliveryPlan = Chats & {
  /** The targets with a credential; null if their senders are not used. */
  readonly credentials: ReadonlySet<string> | null
  /** Whether deliveries leave the gateway. */
  readonly isReal: boolean
}

/** A fault of a set-up: the rest of a sentence about it, and sentences that say why it matters and how to mend it. */
export type Fault = { readonly what: string; readonly why: string; readonly mend: string }

const table: Readonly<Record<string, Sender>> = senders

/** Why no delivery of a route will succeed; undefined if one can. */
export function deliveryFault(route: Route, plan: DeliveryPlan): Fault | undefined {
  const { deliver } = route
  if (deliver === logTarget) return undefined
  if (deliver === commentTarget) return senderFault(commentTarget, plan)
  const { target, fault } = chatPlace(plan, route, route.extra, false)
  if (fault === undefined)
    return target === originTarget ? originFault(plan) : senderFault(target, plan)
  const why = `Each of its deliveries fails: ${fault.text}.`
  switch (fault.name) {
    case 'noChat':
      return {
        what: `delivers to ${target}, but names no chat, and ${target} has no home channel`,
        why,
        mend: `Give it one with webhook subscribe --deliver-chat-id (deliver_extra.chat_id), or set ${homeSetting(target)} for the gateway.`,
      }
    case 'notConnected':
      return {
        what: `delivers to ${target}, which --connected does not list`,
        why,
        mend: `Add ${target} to --connected.`,
      }
    default:
      return {
        what: `has the unknown target ${JSON.stringify(deliver)}`,
        why,
        mend: `Choose one of ${targets.join(', ')}.`,
      }
  }
}

/** The setting with the home channel of a platform. */
function homeSetting(platform: string): string {
  const key = `platforms.${platform}.home_channel of config.yaml`
  const variable = table[platform]?.homeVariable
  return variable === undefined ? key : `${variable} or ${key}`
}

const originFault = ({ isReal }: DeliveryPlan): Fault | undefined =>
  isReal
    ? {
        what: `has the target ${originTarget}, but no place was recorded`,
        why: 'Nobody receives its deliveries.',
        mend: 'Subscribe it again with --origin PLATFORM:CHAT.',
      }
    : undefined

function senderFault(target: string, { credentials }: DeliveryPlan): Fault | undefined {
  if (credentials === null || credentials.has(target)) return undefined
  const sender = table[target]
  const why = 'Each of its deliveries fails with --send.'
  return sender === undefined
    ? {
        what: `delivers to ${target}, to which --send cannot deliver`,
        why,
        mend: 'Use --deliver-url with a program that can.',
      }
    : {
        what: `delivers to ${target}, but ${sender.tokenVariable} is not set`,
        why,
        mend: `Set it in the environment of the gateway or in its .env, or set platforms.${target}.token of config.yaml.`,
      }
}
