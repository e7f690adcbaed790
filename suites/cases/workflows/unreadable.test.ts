// Submits that Python looks into and cannot read: inputs without members, targets without values.

import { node, talking } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves('workflows/unreadable-inputs', async ({ post }) => {
  const detailsOf = async (inputs: unknown): Promise<unknown> => {
    const prompt = { '1': { class_type: 'PreviewImage', inputs } }
    const { status, json } = await post('/prompt', { prompt })
    expect(status).toBe(400)
    const [{ type, details }] = json().node_errors['1'].errors
    return { type, details }
  }
  const type = 'exception_during_validation'
  expect(await detailsOf(['images'])).toEqual({
    type,
    details: 'list indices must be integers or slices, not str',
  })
  expect(await detailsOf('my images')).toEqual({
    type,
    details: "string indices must be integers, not 'str'",
  })
  expect(await detailsOf(['others'])).toEqual({ type: 'required_input_missing', details: 'images' })
})

proves('workflows/unreadable-targets', async ({ post }) => {
  const statusOf = async (prompt: object, partial_execution_targets: unknown): Promise<number> =>
    (await post('/prompt', { prompt, partial_execution_targets })).status
  for (const targets of [true, 1]) {
    expect(await statusOf(talking(), targets)).toBe(500)
    expect(await statusOf({ '1': node('NoSuchNode') }, targets)).toBe(400)
  }
})
