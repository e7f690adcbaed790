// Secrets that a hosted account stores for other services.

import { replay } from 'flowdouble'
import { storedSecret, storedSecrets } from '../../../spec/accounts/secrets.ts'
import { limits } from '../../../spec/limits.ts'
import { needs } from '../../judge/hosted/accounts.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import { refused } from '../../judge/hosted/refusals.ts'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves, twoAccounts } from '../../judge/proves.ts'
import { exchanges, withEach } from '../../judge/rows.ts'
import type { Subject } from '../../judge/subject.ts'

const secret_value = 'the value of flowdouble-check'

async function store(subject: Subject, name: string, more: object = {}): Promise<any> {
  await needs(subject, '/secrets')
  const body = { name: subject.unique(name), secret_value, ...more }
  return fitting(storedSecret, await subject.post('/secrets', body), 201)
}

const listOf = async ({ get }: Subject): Promise<any[]> =>
  fitting(storedSecrets, await get('/secrets')).data

const patch = ({ request }: Subject, id: string, value: unknown) =>
  request('PATCH', `/secrets/${id}`, JSON.stringify(value))

proves(['secrets/store', 'secrets/list', 'secrets/delete'], async (subject) => {
  const more = { provider: 'civitai', credential_type: 'api_key' }
  const one = await store(subject, 'one', more)
  expect(one).toMatchObject({ ...more, name: subject.unique('one') })
  expect(one.updated_at).toBe(one.created_at)
  const two = await store(subject, 'two')
  const ours = (await listOf(subject)).filter(({ id }) => [one.id, two.id].includes(id))
  expect(ours).toEqual([one, two])
  for (const { id } of [one, two])
    await exchanges(subject, [['DELETE', `/secrets/${id}`, undefined, 204, '']])
  const left = (await listOf(subject)).map(({ id }) => id)
  expect(left.filter((id) => [one.id, two.id].includes(id))).toEqual([])
})

proves('secrets/change', async (subject) => {
  const made = await store(subject, 'change', { provider: 'civitai' })
  const { id, provider, created_at } = made
  const name = subject.unique('changed')
  const more = { name, secret_value: 'another', credential_type: 'token' }
  const changed = fitting(storedSecret, await patch(subject, id, more))
  expect(changed).toMatchObject({ id, name, provider, credential_type: 'token', created_at })
  expect((await listOf(subject)).find((one) => one.id === id)).toEqual(changed)
  await subject.request('DELETE', `/secrets/${id}`)
})

proves('secrets/fields', async (subject) => {
  const { id } = await store(subject, 'fields')
  const name = subject.unique('refused')
  const bad = [
    {},
    { name },
    { secret_value },
    { name: '', secret_value },
    { name: 'x'.repeat(256), secret_value },
    { name, secret_value: '' },
    { name, secret_value: 7 },
    { name, secret_value, provider: [] },
    { name, secret_value, credential_type: null },
  ]
  const no = refused('UNPROCESSABLE_ENTITY')
  await exchanges(subject, [
    ...withEach(bad, 'POST', '/secrets', 422, ...no),
    ...withEach([{ name: 1 }, { secret_value: '' }], 'PATCH', `/secrets/${id}`, 422, ...no),
    ['POST', '/secrets', '{', 400, ...refused('BAD_REQUEST')],
    ['DELETE', `/secrets/${id}`, undefined, 204],
  ])
  expect((await listOf(subject)).filter((one) => one.name === name)).toEqual([])
})

proves(
  'secrets/unknown',
  async (subject) => {
    const other = subject.as('other-key')
    const { id } = await store(other, 'foreign')
    for (const one of [id, nobody])
      await exchanges(subject, [
        ['PATCH', `/secrets/${one}`, {}, 404, ...refused('NOT_FOUND')],
        ['DELETE', `/secrets/${one}`, undefined, 404, ...refused('NOT_FOUND')],
      ])
    expect((await listOf(subject)).map((one) => one.id)).not.toContain(id)
    expect((await other.request('DELETE', `/secrets/${id}`)).status).toBe(204)
  },
  twoAccounts,
)

proves(
  'secrets/most',
  async (subject) => {
    for (let count = 0; count < limits.secrets.value; count++) await store(subject, `${count}`)
    const [first] = await listOf(subject)
    const body = { name: 'more', secret_value }
    await exchanges(subject, [
      ['POST', '/secrets', body, 422, ...refused('LIMIT_REACHED')],
      ['DELETE', `/secrets/${first.id}`, undefined, 204],
      ['POST', '/secrets', body, 201],
    ])
  },
  ownWorld,
)

proves(
  'secrets/hidden',
  async (subject) => {
    const made = await subject.post('/secrets', { name: 'a', secret_value })
    const { id } = made.json()
    const replies = [
      made,
      await patch(subject, id, { secret_value: `${secret_value} 2` }),
      await subject.get('/secrets'),
    ]
    const journal = (await subject.emulator?.journal()) ?? []
    for (const text of [...replies.map((one) => one.text), ...journal])
      expect(text).not.toContain(secret_value)
    expect(replay(journal).differs).toBe(null)
  },
  ownWorld,
)
