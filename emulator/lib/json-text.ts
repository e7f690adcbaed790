// Parses JSON files that people write. Errors state where and why a text is not JSON, without quoting it: it may
// contain keys.

import { readJson } from './json.ts'

/**
 * Parses JSON that Python may have written: bare `NaN` and `Infinity` become null. Throws a SyntaxError for anything
 * else that is not valid JSON.
 */
export function parseLenient(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // An expression for a whole string would cost the engine stack for each of its escapes.
    let isInString = false
    const named = text.replace(/\\.|"|-?\bInfinity\b|\bNaN\b/g, (token) => {
      if (token === '"') isInString = !isInString
      return isInString || /^["\\]/.test(token) ? token : 'null'
    })
    return JSON.parse(named)
  }
}

/**
 * The value of a JSON text, or its error: the end of a sentence that starts with the file.
 * @param parse throws for a text that it does not read; for a file that Python may have written, `parseLenient`.
 */
export function readJsonText(
  text: string,
  parse: (text: string) => unknown = JSON.parse,
): { readonly value: unknown } | { readonly wrong: string } {
  try {
    return { value: parse(text) }
  } catch {
    return { wrong: errorReason(text) }
  }
}

function errorReason(text: string): string {
  // As a number: one character beyond Latin-1 would make Node read the whole bundle with two bytes per character.
  if (text.codePointAt(0) === 0xfeff) {
    const rest = readJsonText(text.slice(1))
    const more = 'wrong' in rest ? `; without it, it ${rest.wrong}` : ''
    return `begins with a byte order mark (BOM): save it as UTF-8 without one${more}`
  }
  if (text.trim() === '') return 'is empty, not JSON'
  const before = text.slice(0, errorPosition(text)).split('\n')
  const column = (before.at(-1)?.length ?? 0) + 1
  const yaml = looksLikeYaml.test(text) ? '; it looks like YAML: convert it to JSON' : ''
  return `is not valid JSON (line ${before.length}, column ${column})${yaml}`
}

/** YAML starts with a name and a colon, or a dash, where JSON has a brace or a bracket. */
const looksLikeYaml = /^(?:---|%YAML|(?:\s*#.*\n)*\s*(?:[\w.-]+:(?:\s|$)|- ))/

/**
 * The position of the first error in a text. The messages of JSON.parse do not always contain it, and differ between
 * engines.
 */
function errorPosition(text: string): number {
  try {
    readJson(text)
  } catch (error) {
    const place = /at position (\d+)/.exec((error as Error).message)?.[1]
    if (place !== undefined) return Number(place)
  }
  // The project's reader accepts the numbers that Python writes and JSON does not allow.
  return Math.max(0, text.search(/\b(?:NaN|Infinity)\b/))
}
