// The users of a server: one local user and further names, and what a hosted account can read about itself.

import { errors, limits } from '../../../spec/index.ts'
import { userStatus, userStorage } from '../../../spec/server/settings.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { refused } from '../../judge/hosted/refusals.ts'
import { ownWorld, proves, twoAccounts } from '../../judge/proves.ts'
import { containing, exchanges, type Row, withEach } from '../../judge/rows.ts'
import { expect } from '../../judge/expect.ts'

const { refusals } = errors
const jsonType = { 'content-type': 'application/json; charset=utf-8' }

/** Adds a user. */
const adding = (body: unknown, status: number, answer?: unknown): Row =>
  answer === undefined
    ? ['POST', '/users', body, status]
    : ['POST', '/users', body, status, answer, jsonType]

proves('settings/users', async (subject) => {
  const storage = fitting(userStorage, await subject.get('/users'))
  expect(storage.storage).toBe('server')
  // Other users change nothing.
  await exchanges(subject, [
    adding({ username: subject.unique('me') }, 200),
    ['GET', '/users', undefined, 200, storage],
  ])
})

proves('settings/hosted-user', async (subject) => {
  const active = fitting(userStatus, await subject.get('/user'))
  expect(active).toEqual({ id: active.id, status: 'active' })
  const storage = fitting(userStorage, await subject.get('/users'))
  expect(storage).toEqual({ storage: 'server', migrated: true })
  await exchanges(subject, [
    ['POST', '/users', { username: 'me' }, 405, ...refused('METHOD_NOT_ALLOWED')],
  ])
  expect((await subject.as('').get('/user')).status).toBe(401)
  const other = fitting(userStatus, await subject.as('test-key-free').get('/user'))
  expect(other.status).toBe('active')
  expect(other.id).not.toBe(active.id)
})

proves('settings/new-user', async (subject) => {
  const uuid = '_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
  const names = { me: 'me', ' Zoë & co. ': 'Zo-co-', 'a_b-C9': 'a_b-C9', '../x': '-x' }
  const folder = subject.unique('')
  await exchanges(
    subject,
    Object.entries(names).map(([name, plain]) => {
      const username = name.replace(/^ ?/, (blank) => blank + folder)
      const id = new RegExp(`^${folder.replaceAll('/', '-')}${plain}${uuid}`)
      return adding({ username }, 200, expect.stringMatching(id))
    }),
  )
})

proves('settings/user-refusals', async (subject) => {
  const bodies = [{}, [], null, '"me"', { username: '' }, { username: ' \t' }, { username: 7 }]
  await exchanges(subject, [
    adding({ username: subject.unique('me') }, 200),
    adding({ username: subject.unique('me') }, 400, refusals.duplicateUser.body.json),
    ...withEach(bodies, 'POST', '/users', 500),
  ])
})

proves('settings/user-names', (subject) =>
  exchanges(subject, [
    adding({ username: subject.unique('me') }, 200),
    adding({ username: subject.unique('me') }, 400, refusals.duplicateUser.body.json),
    ...['', ' ', ' \t\n'].map((username) =>
      adding({ username }, 400, refusals.userNameMissing.body.json),
    ),
    ...['__x', '__system', '  __x'].map((username) =>
      adding({ username }, 400, refusals.userNameReserved.body.json),
    ),
    adding({ username: subject.unique('x__') }, 200),
  ]),
)

proves(
  'settings/user-bounds',
  (subject) =>
    exchanges(subject, [
      adding({ username: 'n'.repeat(limits.userName.value + 1) }, 500),
      adding({ username: 'n'.repeat(limits.userName.value) }, 200),
      ...Array.from({ length: limits.users.value - 1 }, (_, at) =>
        adding({ username: `${at + 1}` }, 200),
      ),
      adding({ username: 'one more' }, 500),
      adding({ username: '999' }, 400),
    ]),
  ownWorld,
)

proves(
  'settings/hosted-own',
  async (subject) => {
    const other = subject.as('other-key')
    const [name, file] = [
      subject.unique('own'),
      `/userdata/${encodeURIComponent(subject.unique('own.txt'))}`,
    ]
    await exchanges(subject, [
      ['POST', '/settings', { [name]: 1 }, 200],
      ['POST', file, 'mine', 200],
    ])
    expect((await other.get('/settings')).json()).not.toHaveProperty([name])
    if (subject.isOwn)
      await exchanges(other, [
        ['GET', '/settings', undefined, 200, {}],
        ['GET', '/userdata', undefined, 200, []],
      ])
    await exchanges(other, [
      ['GET', file, undefined, 404],
      ['POST', file, 'yours', 200],
    ])
    await exchanges(subject, [
      ['GET', file, undefined, 200, 'mine'],
      ['GET', '/settings', undefined, 200, containing(subject, { [name]: 1 })],
    ])
  },
  twoAccounts,
)
