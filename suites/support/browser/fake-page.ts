// Runs the script of the inspector without a browser: elements that only remember what the script makes of them. What it
// shows and creates can then be looked at; layout, style and focus do not exist.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { isMeasured } from '../built.ts'

const root = join(import.meta.dirname, '../../..')

/** The script of the page as it is installed. */
function installedScript(): { readonly code: string; readonly filename: string } {
  const page = readFileSync(join(root, 'dist/bundle/inspector.html'), 'utf8')
  const [, code = ''] = /<script>(.*?)<\/script>/s.exec(page) ?? []
  return { code, filename: 'inspector.html' }
}

/** The same as a file with a map, which leads what V8 counts in it back to the sources. */
async function measuredScript(): ReturnType<typeof loadScript> {
  const { build } = await import('rolldown')
  const filename = join(root, 'dist/emulator/inspector/measured.js')
  const output = { format: 'iife', sourcemap: 'inline', file: filename } as const
  const input = join(root, 'emulator/inspector/main.ts')
  const made = await build({ input, output, logLevel: 'silent' })
  return { code: made.output[0].code, filename: pathToFileURL(filename).href }
}

const loadScript = async (): Promise<ReturnType<typeof installedScript>> =>
  isMeasured ? measuredScript() : installedScript()

/** Read or made once for all pages. */
let script: ReturnType<typeof loadScript> | undefined

type Listener = (event: object) => void

/** An element with what the script may use of one. Whatever else it uses does not exist, and fails. */
export class FakeElement {
  readonly tag: string
  readonly dataset: Record<string, string> = {}
  readonly attributes: Record<string, string> = {}
  readonly style: Record<string, string> = {}
  readonly listeners: Record<string, Listener[]> = {}
  children: (FakeElement | string)[] = []
  className = ''
  title = ''
  value = ''
  hidden = false
  disabled = false
  scrollTop = 0
  isFocused = false
  readonly scrollHeight = 0
  readonly clientWidth = 1000

  constructor(tag: string) {
    this.tag = tag
  }
  append(child: FakeElement | string): void {
    this.children.push(child)
  }
  replaceChildren(): void {
    this.children = []
  }
  setAttribute(name: string, value: string): void {
    this.attributes[name] = value
  }
  getAttribute(name: string): string | null {
    return this.attributes[name] ?? null
  }
  focus(): void {
    this.isFocused = true
  }
  addEventListener(name: string, listener: Listener): void {
    ;(this.listeners[name] ??= []).push(listener)
  }
  contains(): boolean {
    return false
  }
  set textContent(text: string | null) {
    this.children = text === null || text === '' ? [] : [text]
  }
  get textContent(): string {
    return this.children.map((one) => (typeof one === 'string' ? one : one.textContent)).join('')
  }
  /** Whatever parses markup. */
  set innerHTML(text: string) {
    throw new Error(`Text became markup: ${text}`)
  }
  set outerHTML(text: string) {
    throw new Error(`Text became markup: ${text}`)
  }
  insertAdjacentHTML(_: string, text: string): never {
    throw new Error(`Text became markup: ${text}`)
  }
  /** All elements below it, and itself. */
  all(): readonly FakeElement[] {
    return [this, ...this.children.flatMap((one) => (typeof one === 'string' ? [] : one.all()))]
  }
}

/** A page whose script runs. */
export type FakePage = {
  /** All elements that are shown. */
  readonly elements: () => readonly FakeElement[]
  /** The texts of all elements that are shown, each with that of what it holds. */
  readonly texts: () => readonly string[]
  /** Resolves when an element has this text, which can come with news. */
  readonly shows: (text: string) => Promise<void>
  /** The names of all elements that the script has created so far. */
  readonly created: ReadonlySet<string>
  /** Shows this address after the #, as a link to it does, and resolves when it is drawn. */
  readonly go: (key: string) => Promise<void>
  /** Clicks an element of this class by its index; resolves to whether it exists, when the page is drawn. */
  readonly click: (name: string, index: number) => Promise<boolean>
  /** Resolves when the script has drawn what it has received, and waits for more. */
  readonly drawn: () => Promise<void>
  /** Sets the value of an element, by its id or label, as its user does; resolves when the page is drawn. */
  readonly choose: (name: string, value: string) => Promise<void>
  /** Opens a file as its user does; resolves when the page is drawn. */
  readonly open: (name: string, text: string) => Promise<void>
  /** Presses a key; resolves when the page is drawn. */
  readonly press: (key: string) => Promise<void>
  /** What stands behind the # of its address now. */
  readonly hash: () => string
  /** What the page has copied last. */
  readonly copied: () => string
  readonly close: () => void
}

/** What stands behind the # of an address, and the # itself. */
const hashOf = (address: string): string => /#.*/.exec(address)?.[0] ?? ''

/** Opens the inspector of a server; the hash of its address begins with #. */
export async function openFakePage(url: string, hash = ''): Promise<FakePage> {
  const { code, filename } = await (script ??= loadScript())
  const created = new Set<string>()
  const listeners: Record<string, Listener[]> = {}
  const byId = new Map<string, FakeElement>()
  const element = (id: string): FakeElement => {
    const known = byId.get(id) ?? new FakeElement('static')
    byId.set(id, known)
    return known
  }
  const stop = new AbortController()
  let frames: (() => void)[] = []
  let underWay = 0
  let copied = ''
  let settled = (): void => undefined
  let answered = (): void => undefined
  /** Requests of the page, except the one that waits for news, are under way until they are answered. */
  const fetchHere = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const isWait = /waitMs=[1-9]/.test(path)
    if (!isWait) underWay++
    try {
      const reply = await fetch(`${url}/_flowdouble/${path}`, { ...init, signal: stop.signal })
      const text = await reply.text()
      return new Response(text, { status: reply.status })
    } finally {
      if (isWait) answered()
      else underWay--
      setImmediate(() => settled())
    }
  }
  const stored = new Map<string, string>()
  const location = { hash, pathname: '/_flowdouble/', href: `${url}/_flowdouble/` }
  const add = (name: string, listener: Listener): void => {
    ;(listeners[name] ??= []).push(listener)
  }
  const document = {
    activeElement: null,
    getElementById: element,
    querySelector: element,
    addEventListener: add,
    createElement: (tag: string) => {
      created.add(tag)
      return new FakeElement(tag)
    },
  }
  const noTimers = (): number => 0
  const context = createContext({
    document,
    location,
    history: {
      replaceState: (_: unknown, __: string, to: string) => void (location.hash = hashOf(to)),
    },
    sessionStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => void stored.set(name, value),
    },
    fetch: fetchHere,
    addEventListener: add,
    requestAnimationFrame: (draw: () => void) => frames.push(draw),
    setTimeout: (call: () => void) => (stop.signal.aborted ? 0 : setImmediate(call)),
    clearTimeout: noTimers,
    ResizeObserver: class {
      observe(): void {
        frames.push(() => undefined)
      }
    },
    URL,
    URLSearchParams,
    TextDecoder,
    TextEncoder,
    atob,
    btoa,
    navigator: { clipboard: { writeText: async (text: string) => void (copied = text) } },
  })
  runInContext(code, context, { filename })
  const draw = (): void => {
    const due = frames
    frames = []
    for (const one of due) one()
  }
  const drawn = async (): Promise<void> => {
    for (;;) {
      draw()
      if (underWay === 0 && frames.length === 0) {
        // What an answer causes begins after it.
        await new Promise<void>((resolve) => setImmediate(resolve))
        if (underWay === 0 && frames.length === 0) return
      } else if (underWay > 0) await new Promise<void>((resolve) => (settled = resolve))
    }
  }
  const elements = (): readonly FakeElement[] => [...byId.values()].flatMap((one) => one.all())
  const texts = (): readonly string[] => elements().map(({ textContent }) => textContent)
  return {
    elements,
    texts,
    shows: async (text) => {
      for (;;) {
        await drawn()
        if (texts().includes(text)) return
        await new Promise<void>((resolve) => (answered = resolve))
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
    },
    created,
    go: async (key) => {
      location.hash = `#${encodeURIComponent(key)}`
      for (const listener of listeners['hashchange'] ?? []) listener({})
      await drawn()
    },
    click: async (name, index) => {
      const all = elements().filter(({ className }) => className.split(' ').includes(name))
      const event = { stopPropagation: () => undefined }
      all[index]?.listeners['click']?.forEach((listener) => listener(event))
      await drawn()
      return index < all.length
    },
    drawn,
    choose: async (name, value) => {
      const own = elements().find(
        ({ attributes }) => attributes['id'] === name || attributes['aria-label'] === name,
      )
      if (own === undefined) throw new Error(`The page has no ${name}.`)
      own.value = value
      for (const event of ['input', 'change'])
        own.listeners[event]?.forEach((listener) => listener({}))
      await drawn()
    },
    open: async (name, text) => {
      const field = element('open')
      Object.assign(field, { files: [{ name, text: async () => text }] })
      field.listeners['change']?.forEach((listener) => listener({}))
      await new Promise<void>((resolve) => setImmediate(resolve))
      await drawn()
    },
    press: async (key) => {
      const target = { closest: () => null }
      const event = { key, target, preventDefault: () => undefined }
      for (const listener of listeners['keydown'] ?? []) listener(event)
      await drawn()
    },
    hash: () => location.hash,
    copied: () => copied,
    close: () => stop.abort(),
  }
}
