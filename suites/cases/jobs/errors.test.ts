// The error of a failed job of either deployment, and its words: those of the socket, or names of Python exceptions with a
// quirk.

import { type ExceptionType, pythonNames } from '../../../spec/server/errors.ts'
import { failing, type Graph, node, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { account, errorOf, words } from '../../judge/failures.ts'
import { messagesAbout } from '../../judge/own-runs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { jobClient } from '../../judge/job-client.ts'

/** What the job of a hosted run has of the data of its error message. */
const ofJob = ({ prompt_id: _id, timestamp: _time, executed: _executed, ...same }: any) => same

for (const rule of ['jobs/detail-error', 'local-jobs/error'] as const)
  proves(rule, async (subject) => {
    const client = await jobClient(subject)
    const { graph, node_id } = await subject.workloads.failing()
    const failed = await client.run(graph)
    const sent: any = errorOf({ messages: messagesAbout(client.session, failed) })
    const { status, execution_status, execution_error, outputs } = await client.detail(failed)
    expect(status).toBe('failed')
    if (subject.deployment === 'local') expect(execution_error).toEqual(sent)
    else {
      const { exception_message, exception_type, traceback } = sent
      const node_type = graph[node_id]?.class_type
      const named = { node_id, node_type, exception_message, exception_type, traceback }
      expect(execution_error).toMatchObject(named)
      expect(execution_status).toMatchObject({ status_str: 'error', completed: false })
      if (subject.isOwn) {
        expect(outputs).toEqual({})
        expect(execution_error).toEqual(ofJob(sent))
      }
    }
    expect((await client.list())[0].execution_error).toEqual(execution_error)
    const stopped = await client.begin()
    await stopped.stop()
    const cancelled = await client.detail(stopped.prompt_id)
    expect(cancelled).toMatchObject({ status: 'cancelled' })
    const fine = await client.detail(await client.run(talking(subject.unique('fine'))))
    for (const job of [cancelled, fine]) expect(job).not.toHaveProperty('execution_error')
  })

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
    expect(detail).toEqual(ofJob(sent))
    expect(words).toContain(detail.exception_type)
    expect(detail.current_outputs).toEqual(
      name === words[0] ? { '0': { text: ['before'] } } : expect.any(Object),
    )
  }
})

provesQuirk('hosted.python-exception-names', async (subject) => {
  subject.breaks('jobs/detail')
  const { graph } = await subject.workloads.failing()
  const [sent, detail] = await bothErrors(subject, graph)
  expect(words).toContain(sent.exception_type)
  expect(words).not.toContain(detail.exception_type)
  if (!subject.isOwn) return
  const own = [...Object.entries(pythonNames), ['my.module.Error', 'my.module.Error'] as const]
  for (const [word, name] of own) {
    const [socket, job] = await bothErrors(subject, failing(word, 'x'))
    const shown = word in pythonNames ? word : 'ValidationError'
    expect([socket.exception_type, job.exception_type]).toEqual([shown, name])
  }
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
