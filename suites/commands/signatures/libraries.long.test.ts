// The libraries of real senders and their receivers: what they sign is accepted, what `webhook test` signs they accept, and
// neither survives a change. They are installed outside the repository; where that fails, they are skipped with the reason.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, test } from 'vitest'
import { type Scheme, type SchemeName, schemes } from '../../../spec/gateway/signatures.ts'
import { builtInSchemes, signedHeaders } from '../../../dist/emulator/internal.js'
import { install, unfitFor } from '../../clients/install.mjs'
import { headerBy, NOW, signedHeadersBy } from '../../generate/senders.ts'
import { expect } from '../../judge/expect.ts'
import { startGatewaySubject } from '../../judge/gateway-subject.ts'
import { folder } from '../../support/folder.ts'

type Library = { readonly name: string; readonly scheme: SchemeName; readonly acts: Acts }
type Acts = readonly ('sign' | 'verify')[]
type Headers = Readonly<Record<string, string>>
type Post = { readonly body: string; readonly headers: Headers }

const both = ['sign', 'verify'] as const
const library = (name: string, scheme: SchemeName, acts: Acts = both): Library => ({
  name,
  scheme,
  acts,
})

const sources = [
  {
    packages: {
      from: 'npm',
      name: 'svix',
      version: '1.99.1',
      with: [
        'standardwebhooks@1.1.1',
        'stripe@23.1.0',
        '@slack/bolt@5.1.0',
        '@linear/sdk@98.0.0',
        '@shopify/shopify-api@13.1.0',
      ],
    },
    libraries: [
      library('svix', 'svix'),
      library('standardwebhooks', 'standard'),
      library('@octokit/webhooks-methods', 'github'),
      library('stripe', 'stripe'),
      library('@slack/bolt', 'slack', ['verify']),
      library('@linear/sdk', 'linear', ['verify']),
      library('@shopify/shopify-api', 'shopify', ['verify']),
    ],
  },
  {
    packages: {
      from: 'pypi',
      name: 'svix',
      version: '2.9.1',
      python: '3.10',
      with: ['standardwebhooks==1.1.0', 'stripe==16.1.0', 'slack_sdk==3.48.0', 'gidgethub==6.0.0'],
    },
    libraries: [
      library('svix', 'svix'),
      library('standardwebhooks', 'standard'),
      library('stripe', 'stripe'),
      library('slack_sdk', 'slack'),
      library('gidgethub', 'github', ['verify']),
    ],
  },
] as const

const programs = {
  npm: (home: string) => [process.execPath, 'npm.mjs', { CLIENT_HOME: home }] as const,
  pypi: (home: string) => [join(home, 'bin/python'), 'pypi.py', {}] as const,
}

/** What the program of a source returns for these jobs. */
function work(from: keyof typeof programs, home: string, jobs: readonly object[]): Promise<any[]> {
  const [program, file, env] = programs[from](home)
  const path = join(import.meta.dirname, '../../clients/senders', file)
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 2 ** 26, env: { ...process.env, ...env } }
    const child = execFile(program, [path], options, (error, stdout, stderr) =>
      error === null
        ? resolve(JSON.parse(stdout) as any[])
        : reject(new Error(stderr, { cause: error })),
    )
    child.stdin?.end(JSON.stringify(jobs))
  })
}

const flipped = (text: string, at: number): string =>
  text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1)

/** A post with the lowest bit of each byte changed in turn: of its body, and of the headers that are signed. */
function* changes({ body, headers }: Post, names: readonly string[]): Generator<[string, Post]> {
  for (const at of body.split('').keys())
    yield [`byte ${at} of the body`, { headers, body: flipped(body, at) }]
  for (const name of names)
    for (const at of (headers[name] ?? '').split('').keys()) {
      const value = flipped(headers[name] ?? '', at)
      yield [`byte ${at} of ${name}`, { body, headers: { ...headers, [name]: value } }]
    }
}

/** Keys of the libraries that decode them, and a text that the others take as it is. */
const secretOf = ({ key }: Scheme, text: string): string =>
  key === 'base64' ? `whsec_${Buffer.from(text.repeat(2)).toString('base64')}` : text
const SECRET = 'secret-of-a-library'

/** A body with the time where Linear has it. */
const bodyAt = (seconds: number): string =>
  JSON.stringify({ id: 'evt_1', type: 'Issue', webhookTimestamp: seconds * 1000, text: 'ä' })
    // Each character is one byte.
    .replace('ä', '\\u00e4')

describe.each(sources)('libraries of $packages.from', ({ packages, libraries }) => {
  let home = ''
  let reason: string | undefined
  beforeAll(async () => {
    reason = await unfitFor(packages)
    if (reason !== undefined) return
    try {
      home = await install(packages, folder())
    } catch (error) {
      reason = String(error)
    }
  })
  const can = (act: Acts[number]) => libraries.filter(({ acts }) => acts.includes(act))

  test.for(can('sign'))(
    'What $name signs is accepted, and refused with any bit changed',
    async ({ name, scheme }, { skip }) => {
      if (reason !== undefined) skip(reason)
      const secret = secretOf(schemes[scheme], SECRET)
      const body = bodyAt(NOW)
      const job = (changed: object) => ({
        library: name,
        act: 'sign',
        post: { secret, body, id: 'msg_1', seconds: NOW, ...changed },
      })
      const isTimed = 'time' in schemes[scheme]
      const [right, other, ...late] = (await work(packages.from, home, [
        job({}),
        job({ secret: secretOf(schemes[scheme], 'another-secret!!!!!') }),
        ...(isTimed ? [-301, 301].map((off) => job({ seconds: NOW + off })) : []),
      ])) as [Headers, Headers, ...Headers[]]
      const { send, close } = await startGatewaySubject({
        rateLimit: 1e6,
        routes: { named: { secret, scheme }, any: { secret } },
      })
      const statusOf = async (route: string, post: Post): Promise<number> =>
        (await send('POST', `/webhooks/${route}`, post.body, post.headers)).status
      try {
        for (const route of ['named', 'any']) {
          expect(await statusOf(route, { body, headers: right })).toBe(202)
          for (const headers of [other, ...late, {}])
            expect(await statusOf(route, { body, headers })).toBe(401)
          for (const [what, post] of changes({ body, headers: right }, Object.keys(right)))
            expect([route, what, await statusOf(route, post)]).toEqual([route, what, 401])
        }
      } finally {
        await close()
      }
    },
  )

  test.for(can('verify'))(
    'What webhook test signs $name accepts, and refuses with any bit changed',
    async ({ name, scheme }, { skip }) => {
      if (reason !== undefined) skip(reason)
      const secret = secretOf(schemes[scheme], SECRET)
      const named = builtInSchemes.find((one) => one.name === scheme)!
      const seconds = Math.floor(Date.now() / 1000)
      const body = bodyAt(seconds)
      const signed = signedHeaders(named, secret, {
        body: Buffer.from(body),
        event: 'issue',
        id: 'msg_1',
        timeMs: seconds * 1000,
        url: '',
      })
      const headers = Object.fromEntries(
        // Shopify sends this as well.
        Object.entries({ ...signed, 'X-Shopify-API-Version': '2026-01' }).map(([header, value]) => [
          header.toLowerCase(),
          value,
        ]),
      )
      const covered = [headerBy(schemes[scheme]), ...signedHeadersBy(schemes[scheme])]
      const names = covered.map((header) => header.toLowerCase())
      const all = [['as it is', { body, headers }] as const, ...changes({ body, headers }, names)]
      const jobs = all.map(([, post]) => ({
        library: name,
        act: 'verify',
        post: { secret, ...post },
      }))
      const results = await work(packages.from, home, jobs)
      const accepted = all.flatMap(([what], at) => (results[at] === true ? [what] : []))
      // The letter before the end of base64 has bits that say nothing: two libraries ignore them.
      const idle = `byte ${headers[names[0] ?? '']?.search(/.=+$/)} of ${names[0]}`
      expect(accepted.filter((what) => what !== idle)).toEqual(['as it is'])
    },
  )
})
