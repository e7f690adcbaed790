// Jobs in worlds whose time stands still, and jobs of nodes that not every server has.

import { node, slow, talking } from '../../generate/graphs.ts'
import { isOf } from '../../judge/hosted/jobs.ts'
import { detailOf, jobClient, listOf } from '../../judge/later/jobs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'local-jobs/listing-ties',
  async (subject) => {
    const { submit } = subject
    const session = await subject.connect()
    const ids: string[] = []
    for (const graph of [talking('a'), talking('b'), slow(), talking('c'), talking('d')])
      ids.push((await submit(graph)).json().prompt_id)
    await subject.reach(session, isOf('progress', ids[2] ?? ''))
    const [a, b, running, c, d] = ids
    for (const query of ['', '?sort_order=asc', '?sort_order=desc']) {
      const { jobs } = await listOf(subject, query)
      expect(new Set(jobs.map(({ create_time }) => create_time)).size).toBe(1)
      expect(jobs.map(({ id }) => id)).toEqual([running, c, d, a, b])
    }
  },
  ownWorld,
)

proves(
  'local-jobs/outputs-count',
  async (subject) => {
    const { run } = await jobClient(subject)
    const { outputs, outputs_count, preview_output } = await detailOf(
      subject,
      await run({ '1': node('Preview3D', { model_file: 'mesh.GLB' }) }),
    )
    const file = { filename: 'mesh.GLB', type: 'output', subfolder: '', mediaType: '3d' }
    expect(outputs['1'].result).toEqual([file])
    expect({ outputs_count, preview_output }).toEqual({
      outputs_count: 1,
      preview_output: { ...file, nodeId: '1' },
    })
  },
  { models: 'any' },
)
