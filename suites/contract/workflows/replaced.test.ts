// Node types of older workflows, which servers of 2026 replace.

import { node } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

/** A graph with a node type that the catalogue does not list. */
const older = (inputs: Readonly<Record<string, unknown>>) => ({
  '1': node('LoadImage', { image: 'example.png' }),
  '2': node('ResizeImagesByLongerEdge', inputs),
  '3': node('PreviewImage', { images: ['2', 0] }),
})

proves(
  'workflows/replaced',
  async (subject) => {
    const session = await subject.connect('me')
    const graph = older({ images: ['1', 0], longer_edge: 64 })
    const { prompt_id, entry, messages } = await subject.run(session, graph)
    expect(entry.status.status_str).toBe('success')
    const history = (await subject.get(`/history/${prompt_id}`)).json()
    expect(history[prompt_id].prompt[2]['2']).toMatchObject({
      class_type: 'ImageScaleToMaxDimension',
      inputs: { image: ['1', 0], largest_size: 64, upscale_method: 'lanczos' },
    })
    expect(history[prompt_id].prompt[2]['1']).toMatchObject(graph['1'])
    expect(messages.some(({ data }) => JSON.stringify(data).includes('ByLongerEdge'))).toBe(false)
    // Without inputs to map none are kept, and a type without a replacement stays unknown.
    const { error } = (
      await subject.submit({ ...graph, '2': node('T2IAdapterLoader', { t2i_adapter_name: 'x' }) })
    ).json()
    expect(error.type).toBe('prompt_outputs_failed_validation')
    const unknown = await subject.submit({ '1': node('NoSuchNode') })
    expect({ status: unknown.status, message: unknown.json().error.message }).toMatchObject({
      status: 400,
      message: expect.stringContaining('NoSuchNode'),
    })
  },
  ownWorld,
)

proves(
  'workflows/replaced-without-input',
  async ({ submit, get }) => {
    expect((await submit(older({ images: ['1', 0] }))).status).toBe(500)
    expect((await submit(older({}))).status).toBe(500)
    expect((await get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
    expect((await submit(older({ images: ['1', 0], longer_edge: 8 }))).status).toBe(200)
  },
  ownWorld,
)
