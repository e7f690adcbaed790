// Reads the errors in the reply to a rejected graph, node by node.

import type { Graph } from '../generate/graphs.ts'
import type { Subject } from './subject.ts'
import { expect } from './expect.ts'

export type NodeError = {
  type: string
  message: string
  details: string
  extra_info: Record<string, unknown>
}

/** The errors of one node of a graph. The answer names no other node. */
export async function errorsOf(
  { submit }: Subject,
  graph: Graph,
  id: string,
): Promise<NodeError[]> {
  const { node_errors } = (await submit(graph)).json()
  expect(Object.keys(node_errors)).toEqual([id])
  return node_errors[id].errors
}

/** The declaration of an input from the catalogue, in the form in which errors repeat it. */
export async function configOf({ get }: Subject, class_type: string, input: string) {
  const { required, optional } = (await get(`/object_info/${class_type}`)).json()[class_type].input
  const [type, options = {}] = { ...required, ...optional }[input]
  return [type, options]
}

/** Submits a valid graph. */
export async function passes({ submit }: Subject, graph: Graph): Promise<void> {
  const reply = await submit(graph)
  expect([reply.status, reply.json().node_errors]).toEqual([200, {}])
}

/** The body of the refusal of a submit. */
export async function refusedSubmit({ post }: Subject, body: object): Promise<any> {
  const reply = await post('/prompt', body)
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 400 })
  return reply.json()
}

/** The form of the ids that a server makes. */
export const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
