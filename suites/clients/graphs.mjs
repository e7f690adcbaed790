// What drivers submit, as files in the folder that they run in: a workflow that succeeds, one whose run fails, one that
// the server refuses, and one that takes a few seconds.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, '../../recordings/workflows/text-to-image.json')

/** The same graph with other inputs of one node. */
const changed = (graph, id, inputs) => ({
  ...graph,
  [id]: { ...graph[id], inputs: { ...graph[id].inputs, ...inputs } },
})

/** The graphs by name. Seeds are small, since some clients read numbers as doubles. */
export function graphs() {
  const workflow = changed(JSON.parse(readFileSync(file, 'utf8')), '3', { seed: 7 })
  const fails = {
    class_type: 'FlowdoubleFail',
    inputs: { exception_type: 'ValueError', message: 'made to fail', value: ['8', 0] },
    _meta: { title: 'Fails' },
  }
  return {
    workflow,
    failing: changed({ ...workflow, 10: fails }, '9', { images: ['10', 0] }),
    refused: changed(workflow, '3', { sampler_name: 'no-such-sampler' }),
    slow: changed(workflow, '3', { seed: 8, steps: 400 }),
  }
}
