// What a front end keeps about its user: settings by id, and the users that there are.

import { hostedError } from './errors.ts'
import { both, hosted, local, type Endpoints, type Rules, type Schema } from '../language.ts'

export const settings = { type: 'object' } as const satisfies Schema

/** One setting on hosted. */
export const hostedSetting = {
  type: 'object',
  properties: { value: {} },
} as const satisfies Schema

/** How a hosted account stands. */
export const userStatus = {
  type: 'object',
  properties: { status: { enum: ['active', 'waitlisted'] } },
  required: ['status'],
} as const satisfies Schema

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
    on: both,
    does: 'Gives all settings.',
    replies: { 200: settings },
  },
  changeSettings: {
    method: 'POST',
    path: '/settings',
    on: both,
    does: 'Merges settings into those that are stored.',
    body: settings,
    replies: { 200: 'empty', 500: 'text' },
    hostedReplies: { 200: settings, 400: hostedError },
  },
  readSetting: {
    method: 'GET',
    path: '/settings/{id}',
    on: both,
    does: 'Gives one setting.',
    replies: { 200: {} },
    hostedReplies: { 200: hostedSetting, 404: hostedError },
  },
  changeSetting: {
    method: 'POST',
    path: '/settings/{id}',
    on: both,
    does: 'Stores one setting.',
    body: {},
    replies: { 200: 'empty', 500: 'text' },
    hostedReplies: { 200: hostedSetting, 400: hostedError },
  },
  users: {
    method: 'GET',
    path: '/users',
    on: both,
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
    // A name can be taken.
    rejectsValid: local,
  },
  user: {
    method: 'GET',
    path: '/user',
    on: hosted,
    does: 'Tells how the account stands that asks.',
    replies: { 200: userStatus },
  },
} as const satisfies Endpoints

export const rules = {
  'settings/merge': {
    says: 'POST /settings merges the members of its body into the settings and answers empty.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, settings and users',
    on: local,
  },
  'settings/one': {
    says: 'POST /settings/<id> stores any JSON value, which GET of the same path gives.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, settings and users',
    on: local,
  },
  'settings/unset': {
    says: 'A setting that was never stored is null, and all settings of a new world are {}.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, settings and users',
    on: local,
  },
  'settings/no-object': {
    says: 'POST /settings answers 500 to a body that is no JSON object, and changes nothing.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, settings and users',
    on: local,
  },
  'settings/file': {
    says: 'Settings are the indented JSON file comfy.settings.json among the user data.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, settings and users',
    on: local,
  },
  'settings/broken-file': {
    says: 'A settings file that cannot be read counts as no settings.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, settings and users',
    on: local,
  },
  'settings/users': {
    says: 'GET /users tells that the server keeps the data of a single user.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, settings and users',
    on: local,
  },
  'settings/new-user': {
    says: 'POST /users answers with an id: the name in plain characters, an underscore, a UUID.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, settings and users',
    on: local,
  },
  'settings/user-refusals': {
    says: 'POST /users answers 400 to a taken name, and 500 to a missing or blank one.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, settings and users',
    on: local,
  },
  'settings/user-bounds': {
    says: 'A user beside 1000 others, or a name above 255 characters, answers 500.',
    basis: 'chosen',
    on: local,
  },
  'settings/hosted-merge': {
    says: 'POST of the hosted settings merges the members of its body and answers with all settings.',
    basis: 'observed',
    source: 'published hosted API, 2026, settings and users',
    on: hosted,
  },
  'settings/hosted-one': {
    says: 'One hosted setting is told and answered as an object with its value.',
    basis: 'observed',
    source: 'published hosted API, 2026, settings and users',
    on: hosted,
  },
  'settings/hosted-unset': {
    says: 'A hosted setting that was never stored answers 404.',
    basis: 'observed',
    source: 'published hosted API, 2026, settings and users',
    on: hosted,
  },
  'settings/hosted-text': {
    says: 'Hosted settings that come as a JSON text within a JSON text are read as well.',
    basis: 'observed',
    source: 'published hosted API, 2026, settings and users',
    on: hosted,
  },
  'settings/hosted-bad-body': {
    says: 'Hosted settings that are no JSON object answer 400, and nothing is changed.',
    basis: 'chosen',
    on: hosted,
  },
  'settings/hosted-no-room': {
    says: 'Hosted settings for which there is no place among the user data answer 400.',
    basis: 'chosen',
    on: hosted,
  },
  'settings/hosted-user': {
    says: 'The hosted /api/user tells the status active, and no user can be added.',
    basis: 'observed',
    source: 'published hosted API, 2026, settings and users',
    on: hosted,
  },
  'settings/hosted-own': {
    says: 'Each hosted account has settings and user data of its own.',
    basis: 'chosen',
    on: hosted,
  },
} as const satisfies Rules
