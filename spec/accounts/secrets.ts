// Secrets that a hosted account stores for other services, such as keys for downloads. Their values stay at the server.

import { hosted, type Endpoints, type Rules, chosen, observedIn } from '../language.ts'
import { hostedError } from '../server/errors.ts'
import { time } from '../v2/shapes.ts'
import { list, object, optional, partial, text, volatile } from '../schema.ts'
import { get, patch, post, remove } from '../endpoint.ts'

/** The member of a request whose value is a secret. */
export const secretValue = 'secret_value'

const word = { type: 'string', minLength: 1, maxLength: 255 } as const
const value = { type: 'string', minLength: 1 } as const

export const storedSecret = object({
  id: volatile(text),
  name: text,
  provider: optional(text),
  credential_type: optional(text),
  created_at: time,
  updated_at: time,
})

export const storedSecrets = object({ data: list(storedSecret) })

export const newSecret = object({
  name: word,
  [secretValue]: value,
  provider: optional(word),
  credential_type: optional(word),
})

export const secretChange = partial({
  name: word,
  [secretValue]: value,
  provider: word,
  credential_type: word,
})

const unknown = { 404: hostedError } as const
const ofFields = { 422: hostedError } as const

export const endpoints = {
  secrets: get('/secrets', hosted, {
    does: 'Lists the secrets of the account, without their values.',
    replies: { 200: storedSecrets },
  }),
  storeSecret: post('/secrets', hosted, {
    does: 'Stores a secret.',
    body: newSecret,
    replies: { 201: storedSecret, ...ofFields },
  }),
  changeSecret: patch('/secrets/{id}', hosted, {
    does: 'Changes a secret.',
    body: secretChange,
    replies: { 200: storedSecret, ...unknown, ...ofFields },
  }),
  deleteSecret: remove('/secrets/{id}', hosted, {
    does: 'Deletes a secret.',
    replies: { 204: 'empty', ...unknown },
  }),
} as const satisfies Endpoints

export const rules = {
  ...observedIn('secrets').hosted({
    'secrets/list': 'GET /secrets lists the secrets of the account in data, the oldest first.',
    'secrets/store': 'POST of a name and a secret_value stores a secret, and returns it with 201.',
    'secrets/change': 'PATCH changes the members of a secret that its body names.',
    'secrets/delete': 'DELETE of a secret returns 204, and the list omits it.',
  }),
  ...chosen.hosted({
    'secrets/unknown': 'A secret that is unknown, or of another account, returns 404.',
    'secrets/fields': 'A secret without a name or a value, or with others than texts, returns 422.',
    'secrets/most': 'Above 100 secrets of an account another one returns 422.',
    'secrets/hidden': 'No reply and no line of the journal contains the value of a secret.',
  }),
} as const satisfies Rules
