// Multipart forms written by hand, for names and forms that no client library would send.

export type Part = {
  readonly name: string
  /** As it is written between the quotes; a part without one is a field. */
  readonly filename?: string
  readonly content: string | Uint8Array
}

/** Bytes that are not valid UTF-8. */
const noText = Uint8Array.from([0xff, 0xfe, 0])

/** Forms of an upload that have such bytes where a text is required. */
export const formsWithoutText: readonly (readonly Part[])[] = [
  [{ name: 'image', content: Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]) }],
  ...['type', 'subfolder', 'original_ref'].map((name) => [
    { name: 'image', filename: 'x.txt', content: 'x' },
    { name, content: noText },
  ]),
]

const boundary = 'flowdouble-boundary-4711'

/** The body and the headers of a form. */
export function formOf(...parts: readonly Part[]): [body: Buffer, headers: Record<string, string>] {
  const chunks = parts.flatMap(({ name, filename, content }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]
  })
  const type = `multipart/form-data; boundary=${boundary}`
  return [Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]), { 'Content-Type': type }]
}

/** The path that views a file, or requests one with this query. */
export const viewPath = (values: Readonly<Record<string, string>>): string =>
  `/view?${new URLSearchParams(values).toString()}`
