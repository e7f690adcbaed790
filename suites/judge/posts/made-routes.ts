// Posts to routes that a case makes for itself, on any gateway with the control API.

import type { RouteSettings, SenderRoute } from '../../generate/sender.ts'
import type { Answer, GatewaySubject } from '../gateway-subject.ts'
import { postAs } from './posts.ts'

type Payload = Readonly<Record<string, unknown>> | string
type Headers = Readonly<Record<string, string>>

/** The chat of such routes: nobody has it. */
export const CHAT = 'flowdouble-check'

/** The settings of a direct route to it. */
export const toChat = {
  deliver: 'telegram',
  deliver_extra: { chat_id: CHAT },
  deliver_only: true,
} as const

/** Makes a direct route to a chat, with this template. */
export const makeDirect = (
  { sender }: GatewaySubject,
  prompt: string,
  more: RouteSettings = {},
): Promise<SenderRoute> => sender.control.make({ prompt, ...toChat, ...more })

/** Makes a route that starts agent runs, whose answers go to a chat. */
export const makeRuns = (
  { sender }: GatewaySubject,
  prompt: string,
  more: RouteSettings = {},
): Promise<SenderRoute> => sender.control.make({ prompt, ...toChat, deliver_only: false, ...more })

/** Posts a payload, well signed and with a new id. */
export const postTo = (
  subject: GatewaySubject,
  to: SenderRoute,
  payload: Payload,
  headers: Headers = {},
): Promise<Answer> => {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return postAs(subject, { to, scheme: 'github', body, headers })
}
