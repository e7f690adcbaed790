// The doctor of a gateway: what it checks of a set-up, and how it asks the platforms.

import { chosen, type Rules } from '../language.ts'
import { boolean, list, nullable, object, oneOf, text } from '../schema.ts'
import type { senders } from './deliveries.ts'

/** What the doctor checks, in this order; the last three ask others, with --online. */
export const doctorChecks = {
  configuration: 'the settings can be read, and webhooks are enabled',
  files: 'nobody else can read or change secrets, and the subscriptions can be written',
  routes: 'the gateway serves each route that is configured',
  deliveries: 'each route has a chat, a sender and a credential',
  'base-url': 'senders elsewhere can reach the printed addresses, with TLS',
  address: 'the gateway answers at its host and port, or nobody does',
  store: 'the store can be opened, is private and has room',
  health: 'the gateway that runs is not degraded',
  disk: 'the file systems of the configuration directory and of the store have space',
  platforms: 'each platform accepts its credential',
  public: 'the base URL leads to the gateway',
  clock: 'the time of day agrees with that of the platforms',
} as const
export type DoctorCheck = keyof typeof doctorChecks

/** What a check has found: a `note` is fine for some set-ups, and `skipped` what could not be asked. */
export const findingStatuses = ['ok', 'note', 'problem', 'skipped'] as const

/** What `gateway doctor --json` prints. */
export const doctorReport = object({
  ok: boolean,
  config_dir: text,
  findings: list(
    object({
      check: oneOf(...(Object.keys(doctorChecks) as [DoctorCheck, ...DoctorCheck[]])),
      status: oneOf(...findingStatuses),
      what: text,
      why: nullable(text),
      mend: nullable(text),
    }),
  ),
})

/** A call that changes nothing: who the credential of a sender belongs to. */
export type Probe = { readonly method: 'GET' | 'POST'; readonly path: string }

/** The calls by target, below the base URL of its sender and with its headers. */
export const probes = {
  // Tokens of apps belong to nobody, but have a rate limit; asking for it does not count.
  github_comment: { method: 'GET', path: '/rate_limit' },
  telegram: { method: 'GET', path: '/bot{token}/getMe' },
  discord: { method: 'GET', path: '/api/v10/users/@me' },
  slack: { method: 'POST', path: '/api/auth.test' },
} as const satisfies Readonly<Record<keyof typeof senders, Probe>>

export const rules = {
  ...chosen.gateway({
    'doctor/findings':
      '`gateway doctor` says for each check what it found, why that matters and how to mend it.',
    'doctor/exit-codes': 'It exits 1 if a check found a problem, and 0 otherwise, also with notes.',
    'doctor/configuration':
      'It names settings that cannot be read, and webhooks that are not enabled.',
    'doctor/files':
      'It names files that everybody can read or change, and subscriptions that cannot be used.',
    'doctor/routes': 'It names each route that the gateway does not serve, with the reason.',
    'doctor/deliveries':
      'It names each route whose deliveries fail: no chat, no credential, no sender.',
    'doctor/base-url':
      'It names a base URL that is not public, has no TLS or ends in the path of a route.',
    'doctor/address':
      'It asks its own address: another program there is a problem, nobody is only a note.',
    'doctor/store':
      'It names a store that everybody can read, that cannot be opened or that is nearly full.',
    'doctor/store-holder': 'It names the process that has the store open, and whether it answers.',
    'doctor/store-shared':
      'It names a PostgreSQL that cannot be reached, or where tables cannot be used or created.',
    'doctor/health': 'It names what the running gateway says is wrong, whatever its port.',
    'doctor/variables': 'The variables of its flags apply, as for `gateway run`.',
    'doctor/disk': 'It names a file system with less than 64 MiB free.',
    'doctor/offline': 'Without --online it asks nobody but its own address.',
    'doctor/platforms':
      'With --online it asks each platform with a credential, and changes nothing.',
    'doctor/public': 'With --online it names a base URL that does not lead to the gateway.',
    'doctor/clock':
      'With --online it names a clock that differs by more than 30 seconds from that of a platform.',
    'doctor/hides': 'No finding contains a secret of a route or a credential.',
  }),
} as const satisfies Rules
