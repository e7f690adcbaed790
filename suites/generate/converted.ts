// Literals as they are submitted, and as listings write them once they are converted to their declared types.

/** The first value under a key in a JSON text, as it is written. */
export const written = (text: string, key: string): string | undefined =>
  new RegExp(`"${key}"\\s*:\\s*("[^"]*"|[^,}\\s]+)`).exec(text)?.[1]

/** For each node type a literal, and the text of its `value` in a listing. */
export const converted: readonly (readonly [type: string, value: unknown, written: string])[] = [
  ['PrimitiveInt', -3.9, '-3'],
  ['PrimitiveInt', false, '0'],
  ['PrimitiveInt', '-7', '-7'],
  ['PrimitiveFloat', '0.25', '0.25'],
  ['PrimitiveFloat', '-2e3', '-2000'],
  ['PrimitiveString', 5, '"5"'],
  ['PrimitiveString', 0.5, '"0.5"'],
  ['PrimitiveString', true, '"True"'],
  ['PrimitiveString', 'as it is', '"as it is"'],
  ['PrimitiveBoolean', '', 'false'],
  ['PrimitiveBoolean', 0, 'false'],
  ['PrimitiveBoolean', {}, 'false'],
  ['PrimitiveBoolean', null, 'false'],
  ['PrimitiveBoolean', 2, 'true'],
]
