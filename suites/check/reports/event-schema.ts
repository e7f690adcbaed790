// What the lines of `--json` contain, for commands that read them again: a file can be cut off, or of another program.
// Members that a later version adds are allowed.

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { skipReasons, verdicts } from '../../../spec/check.ts'
import type { CheckEvent } from '../events.ts'

const text = { type: 'string' }
const number = { type: 'number' }
const texts = { type: 'array', items: text }

type Members = Readonly<Record<string, object>>

/** An object with these members, and with others that are not looked at. */
const object = (required: Members, optional: Members = {}) => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
})

const listOf = (items: object) => ({ type: 'array', items })

const place = { enum: ['local', 'hosted', 'gateway'] }
const wire = listOf(object({ atMs: number, direction: { enum: ['sent', 'received'] }, text }))
const rule = object({ id: text, says: text, basis: { enum: ['stated', 'observed', 'chosen'] } })

const share = object({
  judged: number,
  of: number,
  rest: listOf(object({ by: text, rules: number })),
})

/** The members of each kind of event. */
const schemas: Readonly<Record<CheckEvent['event'], object>> = {
  start: object(
    {
      target: object(
        { name: text, place, generation: text, software: { type: ['string', 'null'] } },
        { deployments: listOf(place), recorded: { const: true } },
      ),
      cases: number,
      startedAt: text,
    },
    { plan: object({ maxRuns: number, stated: share }, { files: number }) },
  ),
  case: object(
    {
      title: text,
      area: text,
      place,
      rules: listOf(rule),
      verdict: { enum: verdicts },
      durationMs: number,
    },
    {
      reason: { enum: Object.keys(skipReasons) },
      detail: text,
      quirk: text,
      files: number,
      failure: object(
        { message: text, wire, command: text },
        { allowed: text, curl: text, exchanges: text },
      ),
      cause: object({ says: text, rules: texts }, { word: text }),
      baseline: { enum: ['known', 'stale'] },
    },
  ),
  warning: object({ text }),
  end: object(
    {
      counts: object(Object.fromEntries(verdicts.map((one) => [one, number]))),
      runs: number,
      durationMs: number,
      left: texts,
      exitCode: { enum: [0, 1, 2, 3, 4, 5] },
      outcome: text,
    },
    { nearest: object({ like: text, differs: texts }), stated: share },
  ),
}

const compiled = new Map<string, ValidateFunction>()

/** Whether events of this name are known. */
export const isKnown = (event: string): event is CheckEvent['event'] =>
  Object.hasOwn(schemas, event)

/** What is wrong with an event, in a few words; undefined if nothing is. */
export function problemIn(event: CheckEvent): string | undefined {
  const fits =
    compiled.get(event.event) ?? new Ajv2020({ strict: false }).compile(schemas[event.event])
  compiled.set(event.event, fits)
  return fits(event) ? undefined : problemText(fits.errors?.[0])
}

const problemText = ({ instancePath = '', message = 'is not valid' }: Partial<ErrorObject> = {}) =>
  `${instancePath.slice(1).replaceAll('/', '.')} ${message}`.trim()
