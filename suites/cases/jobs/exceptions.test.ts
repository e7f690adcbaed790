// The words for failures in the job detail: those of the socket, or names of Python exceptions with a quirk.

import { type ExceptionType, pythonNames } from '../../../spec/server/errors.ts'
import { account, errorOf, words } from '../../judge/failures.ts'
import { failing, type Graph, node } from '../../generate/graphs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** Runs a graph to its error, and returns the error of the socket with the one of the job detail. */
async function bothErrors(
  { connect, run, get }: Subject,
  graph: Graph,
): Promise<readonly [sent: any, detail: any]> {
  const outcome = await run(await connect(), graph)
  const { status, execution_error } = (await get(`/jobs/${outcome.prompt_id}`)).json()
  expect(status).toBe('failed')
  return [errorOf(outcome), execution_error]
}

proves(['runs/exception-words', 'runs/other-failures', 'jobs/detail-error'], async (subject) => {
  const preview = node('FlowdoubleText', { text: 'before' })
  for (const name of [...words, 'KeyError', 'torch.OutOfMemoryError']) {
    const fails = node('FlowdoubleFail', { exception_type: name, message: '', value: ['0', 0] })
    const [sent, detail] = await bothErrors(subject, { '0': preview, '2': fails })
    const { prompt_id: _id, timestamp: _time, executed: _executed, ...same } = sent
    expect(detail).toEqual(same)
    expect(words).toContain(detail.exception_type)
    expect(detail.current_outputs).toEqual(
      name === words[0] ? { '0': { text: ['before'] } } : expect.any(Object),
    )
  }
})

provesQuirk('hosted.python-exception-names', async (subject) => {
  subject.breaks('jobs/detail')
  for (const [word, name] of Object.entries(pythonNames)) {
    const [sent, detail] = await bothErrors(subject, failing(word, 'x'))
    expect([sent.exception_type, detail.exception_type]).toEqual([word, name])
  }
  const [sent, detail] = await bothErrors(subject, failing('my.module.Error', 'x'))
  expect([sent.exception_type, detail.exception_type]).toEqual([
    'ValidationError',
    'my.module.Error',
  ])
})

provesQuirk(
  'hosted.python-exception-names',
  async (subject) => {
    subject.breaks('jobs/detail')
    const [sent, detail] = await bothErrors(subject, failing())
    expect([sent.exception_type, detail.exception_type]).toEqual(['OOMError', pythonNames.OOMError])
  },
  { accounts: [{ ...account, failsWith: 'OOMError' satisfies ExceptionType }] },
)

provesQuirk('hosted.python-exception-names', async (subject) => {
  subject.breaks('jobs/detail')
  const { graph } = await subject.workloads.failing()
  const [sent, detail] = await bothErrors(subject, graph)
  expect(words).toContain(sent.exception_type)
  expect(words).not.toContain(detail.exception_type)
})
