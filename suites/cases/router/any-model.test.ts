// What a Router says of a model that it lists, whichever that is. On a server elsewhere its runs cost money.

import { routerEstimate } from '../../../spec/router/router-runs.ts'
import { routerHandle, routerStatus } from '../../../spec/router/router-queue.ts'
import { expect } from '../../judge/expect.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { expectRouterError, idOf, type Router, routerOf } from '../../judge/hosted/router.ts'
import { provesHosted } from '../../judge/proves.ts'

type Schema = { readonly [keyword: string]: any }

/** The least input that fits a schema, as far as its keywords say it. */
function leastOf(schema: Schema, document: Schema): unknown {
  const { $ref, example, default: usual, enum: values, minimum = 1, minLength = 1 } = schema
  if (typeof $ref === 'string') {
    const parts = $ref.split('/').slice(1)
    return leastOf(parts.reduce((at, part) => at?.[part], document) ?? {}, document)
  }
  const said = example ?? usual ?? values?.[0]
  if (said !== undefined) return said
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return minimum
    case 'boolean':
      return false
    case 'array':
      return Array.from({ length: schema['minItems'] ?? 0 }, () =>
        leastOf(schema['items'], document),
      )
    case 'object':
      return Object.fromEntries(
        (schema['required'] ?? []).map((name: string) => [
          name,
          leastOf(schema['properties']?.[name] ?? {}, document),
        ]),
      )
    default:
      return 'a lighthouse'.padEnd(minLength, '.')
  }
}

/** An input for the first model that the Router lists. */
async function inputOf({ send, model }: Router): Promise<unknown> {
  const document = (await send('GET', `/${model}/openapi.json`)).json()
  const [path] = Object.values<Schema>(document.paths)
  const content = path?.['post'].requestBody.content['application/json']
  return leastOf(content.schema, document)
}

provesHosted('router-runs/output', async (subject) => {
  subject.permit('paid')
  const router = await routerOf(subject)
  const reply = await router.run(router.model, await inputOf(router))
  expect([reply.status, reply.headers['x-content-type-options']]).toEqual([200, 'nosniff'])
  expect(reply.headers['x-comfy-credits-used'] ?? '0').toMatch(/^\d+(\.\d{1,2})?$/)
  idOf(reply)
  expect(reply.bytes.length).toBeGreaterThan(0)
})

provesHosted(['router-runs/replay', 'router-runs/key-of-another'], async (subject) => {
  subject.permit('paid')
  const router = await routerOf(subject)
  const input = await inputOf(router)
  const key = { 'Idempotency-Key': subject.unique('replayed').replaceAll('/', '-') }
  const first = await router.run(router.model, input, key)
  const again = await router.run(router.model, input, key)
  expect([again.status, again.text]).toEqual([first.status, first.text])
  expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([
    undefined,
    'true',
  ])
  const other = await router.send('POST', `/${router.model}?strict_mode=true`, input, key)
  expectRouterError(other, 409, 'invalid_input')
})

provesHosted('router-runs/bad-body', async (subject) => {
  subject.permit('paid')
  const { send, model } = await routerOf(subject)
  expectRouterError(await send('POST', `/${model}`, '{'), 400, 'invalid_input')
  for (const path of [`/${model}`, `/${model}/requests`])
    expectRouterError(await send('POST', path, []), 422, 'invalid_input')
})

provesHosted('router-runs/estimate', async (subject) => {
  const router = await routerOf(subject)
  const { send, model } = router
  const estimate = await send('POST', `/${model}/estimate`, await inputOf(router))
  fitting(routerEstimate, estimate)
})

provesHosted(['router-queue/submit', 'router-queue/addresses'], async (subject) => {
  subject.permit('paid')
  const router = await routerOf(subject)
  const { send, model } = router
  const made = await send('POST', `/${model}/requests`, await inputOf(router))
  const { request_id, status_url } = fitting(routerHandle, made, 201)
  expect(status_url).toContain(`/${model}/requests/${request_id}/status`)
  const at = `/${model}/requests/${request_id}`
  const state = fitting(routerStatus, await send('GET', `${at}/status`))
  expect(state.request_id).toBe(request_id)
  // It may be over before the cancel comes.
  expect([202, 409]).toContain((await send('PUT', `${at}/cancel`)).status)
})
