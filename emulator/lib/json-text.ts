// Reads the JSON of a file that a person wrote, and says where and why it is not JSON without quoting it: keys can stand in it.

import { readJson } from './json.ts'

/** The value of a JSON text, or what is wrong with the text: the end of a sentence that begins with the file. */
export function readJsonText(
  text: string,
): { readonly value: unknown } | { readonly wrong: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { wrong: errorReason(text) }
  }
}

function errorReason(text: string): string {
  if (text.startsWith('\uFEFF')) {
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

/** YAML begins with a name and a colon, or a dash, where JSON has a brace or a bracket. */
const looksLikeYaml = /^(?:---|%YAML|(?:\s*#.*\n)*\s*(?:[\w.-]+:(?:\s|$)|- ))/

/** Where a text stops being JSON. The messages of JSON.parse say so sometimes only, and differ from engine to engine. */
function errorPosition(text: string): number {
  try {
    readJson(text)
  } catch (error) {
    const place = /at position (\d+)/.exec((error as Error).message)?.[1]
    if (place !== undefined) return Number(place)
  }
  // Our own reader takes the numbers that Python writes and JSON does not have.
  return Math.max(0, text.search(/\b(?:NaN|Infinity)\b/))
}
