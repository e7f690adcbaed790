// Finds out what a server is before it is judged: its deployment, its generation, and the node types that it lists.

import type { TargetOptions } from '../../spec/check.ts'
import type { Deployment } from '../../spec/language.ts'
import { keyHeader } from '../../spec/server/access.ts'
import type { Target } from './running.ts'

/** The longest time for an answer, in milliseconds. */
const MAX_ANSWER_MS = 8000

/** Thrown where there is no server that can be judged. */
export class NotMeasured extends Error {}

/** Asks a server what it is. Throws {@link NotMeasured} if it is not one that can be judged. */
export async function probe(options: TargetOptions): Promise<Target> {
  const url = options.url.replace(/\/+$/, '')
  const headers = {
    ...options.headers,
    ...(options.key !== undefined && { [keyHeader]: options.key }),
    ...(options.token !== undefined && { Authorization: `Bearer ${options.token}` }),
  }
  const signal = AbortSignal.timeout(MAX_ANSWER_MS)
  const ask = async (path: string): Promise<any> => {
    try {
      const reply = await fetch(url + path, { headers, signal, redirect: 'manual' })
      const text = await reply.text()
      return { status: reply.status, json: JSON.parse(text) as unknown }
    } catch (error) {
      if (error instanceof SyntaxError) return { status: 0 }
      throw new NotMeasured(`${url}${path}: ${reasonOf(error)}.`)
    }
  }
  const isStats = ({ json }: any): boolean =>
    typeof json?.system === 'object' && Array.isArray(json?.devices)
  const found = async (): Promise<[Deployment, any]> => {
    const plain = await ask('/system_stats')
    if (isStats(plain)) return ['local', plain.json]
    const prefixed = await ask('/api/system_stats')
    if (isStats(prefixed)) return ['hosted', prefixed.json]
    throw new NotMeasured(
      `${url} has neither /system_stats nor /api/system_stats: it is not a workflow server.`,
    )
  }
  const [deployment, stats] = await found()
  const version: unknown = stats.system.comfyui_version
  const types = (await ask(deployment === 'hosted' ? '/api/object_info' : '/object_info')).json
  return {
    url,
    deployment: options.deployment ?? deployment,
    types: typeof types === 'object' && types !== null ? types : {},
    software: typeof version === 'string' ? version : null,
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${MAX_ANSWER_MS / 1000} s`
  const { cause } = error
  return cause instanceof Error ? cause.message : error.message
}
