// Opens files of the user: HAR files and journals, chosen or dropped on the page.

import { byId } from './draw/dom.ts'
import { readHar } from './model/har.ts'
import { type Journal, readJournal } from './model/journal.ts'

/** A journal, and its pictures as addresses by key. */
export type Opened = { readonly journal: Journal; readonly pictures: ReadonlyMap<string, string> }

export function connectFiles(
  show: (opened: Opened, name: string) => void,
  refuse: (text: string) => void,
): void {
  const open = async (file: File): Promise<void> => {
    try {
      show(opened(await file.text()), file.name)
    } catch (error) {
      refuse(`${file.name} is neither a HAR file nor a journal: ${String(error)}`)
    }
  }
  const take = (files: FileList | null | undefined): void => {
    if (files?.[0] !== undefined) void open(files[0])
  }
  const field = byId('open') as HTMLInputElement
  field.addEventListener('change', () => take(field.files))
  document.addEventListener('dragover', (event) => event.preventDefault())
  document.addEventListener('drop', (event) => {
    event.preventDefault()
    take(event.dataTransfer?.files)
  })
}

const opened = (text: string): Opened =>
  text.startsWith('{"flowdouble"')
    ? { journal: readJournal(text), pictures: new Map() }
    : readHar(text)
