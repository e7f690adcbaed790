// What a front end keeps about its user: settings by id, and the users that there are.

import { local, type Endpoints, type Rules, type Schema } from './language.ts'

export const settings = { type: 'object' } as const satisfies Schema

export const userStorage = {
  type: 'object',
  properties: { storage: { type: 'string' }, migrated: { type: 'boolean' } },
  required: ['storage', 'migrated'],
} as const satisfies Schema

export const newUser = {
  type: 'object',
  properties: { username: { type: 'string', pattern: '\\S' } },
  required: ['username'],
} as const satisfies Schema

export const duplicateUser = {
  type: 'object',
  properties: { error: { type: 'string' } },
  required: ['error'],
} as const satisfies Schema

const userId = { type: 'string', volatile: true } as const

export const endpoints = {
  readSettings: {
    method: 'GET',
    path: '/settings',
    on: local,
    does: 'Gives all settings.',
    replies: { 200: settings },
  },
  changeSettings: {
    method: 'POST',
    path: '/settings',
    on: local,
    does: 'Merges settings into those that are stored.',
    body: settings,
    replies: { 200: 'empty', 500: 'text' },
  },
  readSetting: {
    method: 'GET',
    path: '/settings/{id}',
    on: local,
    does: 'Gives one setting.',
    replies: { 200: {} },
  },
  changeSetting: {
    method: 'POST',
    path: '/settings/{id}',
    on: local,
    does: 'Stores one setting.',
    body: {},
    replies: { 200: 'empty', 500: 'text' },
  },
  users: {
    method: 'GET',
    path: '/users',
    on: local,
    does: 'Tells where user data is kept.',
    replies: { 200: userStorage },
  },
  addUser: {
    method: 'POST',
    path: '/users',
    on: local,
    does: 'Adds a user.',
    body: newUser,
    replies: { 200: userId, 400: duplicateUser, 500: 'text' },
  },
} as const satisfies Endpoints

export const rules = {
  'settings/merge': {
    says: 'POST /settings merges the members of its body into the settings and answers empty.',
    basis: 'observed',
    on: local,
  },
  'settings/one': {
    says: 'POST /settings/<id> stores any JSON value, which GET of the same path gives.',
    basis: 'observed',
    on: local,
  },
  'settings/unset': {
    says: 'A setting that was never stored is null, and all settings of a new world are {}.',
    basis: 'observed',
    on: local,
  },
  'settings/no-object': {
    says: 'POST /settings answers 500 to a body that is no JSON object, and changes nothing.',
    basis: 'observed',
    on: local,
  },
  'settings/file': {
    says: 'Settings are the indented JSON file comfy.settings.json among the user data.',
    basis: 'observed',
    on: local,
  },
  'settings/broken-file': {
    says: 'A settings file that cannot be read counts as no settings.',
    basis: 'observed',
    on: local,
  },
  'settings/users': {
    says: 'GET /users tells that the server keeps the data of a single user.',
    basis: 'observed',
    on: local,
  },
  'settings/new-user': {
    says: 'POST /users answers with an id: the name in plain characters, an underscore, a UUID.',
    basis: 'observed',
    on: local,
  },
  'settings/user-refusals': {
    says: 'POST /users answers 400 to a taken name, and 500 to a missing or blank one.',
    basis: 'observed',
    on: local,
  },
  'settings/user-bounds': {
    says: 'A user beside 1000 others, or a name above 255 characters, answers 500.',
    basis: 'chosen',
    on: local,
  },
} as const satisfies Rules
