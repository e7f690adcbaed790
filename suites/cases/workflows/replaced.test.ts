// Node types of older workflows, which servers of 2026 replace.

import { node } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'

/** A graph with a node type that the catalogue does not list. */
const older = (inputs: Readonly<Record<string, unknown>>) => ({
  '1': node('PrimitiveInt', { value: 1 }),
  '2': node('T2IAdapterLoader', inputs),
  '3': node('PreviewAny', { source: ['2', 0] }),
})

const adapter = async ({ get }: Subject): Promise<string> =>
  (await get('/models/controlnet')).json()[0]

proves(
  'workflows/replaced',
  async (subject) => {
    const session = await subject.connect('me')
    const t2i_adapter_name = await adapter(subject)
    const graph = older({ t2i_adapter_name })
    const { prompt_id, entry, messages } = await subject.run(session, graph)
    expect(entry.status.status_str).toBe('success')
    const history = (await subject.get(`/history/${prompt_id}`)).json()
    expect(history[prompt_id].prompt[2]['2']).toEqual({
      class_type: 'ControlNetLoader',
      inputs: { control_net_name: t2i_adapter_name },
    })
    expect(history[prompt_id].prompt[2]['1']).toMatchObject(graph['1'])
    expect(messages.some(({ data }) => JSON.stringify(data).includes('T2IAdapter'))).toBe(false)
    // Without inputs to map none are kept, and a type without a replacement stays unknown.
    const { error } = (
      await subject.submit({ ...graph, '2': node('Load3DAnimation', { model_file: 'x' }) })
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
  async (subject) => {
    const { submit, get } = subject
    expect((await submit(older({ control_net_name: 'x' }))).status).toBe(500)
    expect((await submit(older({}))).status).toBe(500)
    expect((await get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
    const t2i_adapter_name = await adapter(subject)
    expect((await submit(older({ t2i_adapter_name }))).status).toBe(200)
  },
  ownWorld,
)
