// Settings of the front end by id, and the users.

import { hostedError } from './errors.ts'
import {
  both,
  hosted,
  local,
  type Endpoints,
  type Rules,
  chosen,
  observedIn,
  observedAt,
} from '../language.ts'
import { any, anyObject, boolean, object, oneOf, partial, text, volatile } from '../schema.ts'
import { get, post } from '../endpoint.ts'

export const settings = { ...anyObject } as const

/** One setting of a hosted account. */
export const hostedSetting = partial({ value: any })

/** The user of a hosted account, and its state. */
export const userStatus = object({ id: volatile(text), status: oneOf('active', 'waitlisted') })

export const userStorage = object({ storage: text, migrated: boolean })

export const newUser = object({ username: { type: 'string', pattern: '\\S' } })

export const duplicateUser = object({ error: text })

const userId = volatile(text)

export const endpoints = {
  readSettings: get('/settings', both, {
    does: 'Returns all settings.',
    replies: { 200: settings },
  }),
  changeSettings: post('/settings', both, {
    does: 'Merges settings into the stored ones.',
    body: settings,
    replies: { 200: 'empty', 500: 'text' },
    hostedReplies: { 200: settings, 400: hostedError },
  }),
  readSetting: get('/settings/{id}', both, {
    does: 'Returns one setting.',
    replies: { 200: {} },
    hostedReplies: { 200: hostedSetting, 404: hostedError },
  }),
  changeSetting: post('/settings/{id}', both, {
    does: 'Stores one setting.',
    body: {},
    replies: { 200: 'empty', 500: 'text' },
    hostedReplies: { 200: hostedSetting, 400: hostedError },
  }),
  users: get('/users', both, {
    does: 'Returns where user data is stored.',
    replies: { 200: userStorage },
  }),
  addUser: post('/users', local, {
    does: 'Adds a user.',
    body: newUser,
    replies: { 200: userId, 400: duplicateUser, 500: 'text' },
    // A name can be taken.
    rejectsValid: local,
  }),
  user: get('/user', hosted, {
    does: 'Returns the id and the status of the user.',
    replies: { 200: userStatus },
  }),
} as const satisfies Endpoints

const observed = observedIn('settings and users')

export const rules = {
  ...observed.local({
    'settings/merge':
      'POST /settings merges the members of its body into the settings and returns an empty body.',
    'settings/one':
      'POST /settings/<id> stores any JSON value, which GET of the same path returns.',
    'settings/unset':
      'A setting that was never stored is null, and the settings of a new server are {}.',
    'settings/no-object':
      'POST /settings returns 500 for a body that is not a JSON object, and changes nothing.',
    'settings/file':
      'The server stores settings as the indented JSON file comfy.settings.json in the user data.',
    'settings/broken-file':
      'The server treats a settings file that is not valid JSON as empty settings.',
  }),
  ...observedAt('ComfyUI 0.3.64, settings and users; ComfyUI 0.27.0; ComfyUI 0.33.0').local({
    'settings/other-json':
      'Other JSON than an object in the settings file is returned as it is, and a change returns 500.',
  }),
  ...observed.local({
    'settings/users': 'GET /users reports that the server stores the data of a single user.',
    'settings/new-user':
      'POST /users returns an id: the name in plain characters, an underscore, a UUID.',
  }),
  ...observed.before27({
    'settings/user-refusals':
      'POST /users returns 400 for a taken name, and 500 for a missing or blank one.',
  }),
  ...observed.since27({
    'settings/user-names':
      'POST /users returns 400 for a taken or blank name, and one that begins with two underscores.',
  }),
  ...observed.hosted({
    'settings/hosted-merge':
      'POST of the hosted settings merges the members of its body and returns all settings.',
    'settings/hosted-one':
      'The hosted server accepts and returns one setting as an object with its value.',
    'settings/hosted-unset': 'A hosted setting that was never stored returns 404.',
    'settings/hosted-text':
      'The hosted server also reads settings that are a JSON text within a JSON text.',
    'settings/hosted-user':
      'The hosted /api/user returns an id and the status active, and clients cannot add users.',
  }),
  ...chosen.local({
    'settings/user-bounds':
      'A user beyond 1000 users, or a name of more than 255 characters, returns 500.',
  }),
  ...chosen.hosted({
    'settings/hosted-bad-body':
      'Hosted settings that are not a JSON object return 400 and change nothing.',
    'settings/hosted-no-room': 'Hosted settings for which the user data has no space return 400.',
    'settings/hosted-own': 'Each hosted account has separate settings and user data.',
  }),
} as const satisfies Rules
