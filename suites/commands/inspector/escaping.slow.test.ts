// Text that clients choose stays text on the page of the inspector: no title, name or header becomes an element, an
// attribute with code, or an address. The script runs as it is served, on elements that only remember.

import { assert, asyncProperty, constantFrom, oneof, string, tuple } from 'fast-check'
import { solid, textToImage, type Graph } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { type FakePage, openFakePage } from '../../support/browser/fake-page.ts'

/** The elements of which the page consists. An element with another name is one too many. */
const known =
  /^(a|b|button|code|dd|div|dl|dt|h2|h3|i|img|input|kbd|li|ol|option|p|pre|section|select|span|table|tbody|td|th|thead|tr|ul)$/

const markup = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  'javascript:alert(1)',
  '</style><iframe srcdoc="x">',
  '&lt;b&gt;&#60;',
  '${alert(1)}{{7*7}}',
]
const hostile = oneof(
  constantFrom(...markup),
  tuple(constantFrom(...markup), string()).map((parts) => parts.join('')),
)

/** A graph whose nodes have this title. */
const titled = (graph: Graph, title: string): Graph =>
  Object.fromEntries(Object.entries(graph).map(([id, node]) => [id, { ...node, _meta: { title } }]))

/** A session in which every text that a client chooses is this one. */
async function play(subject: Subject, text: string): Promise<void> {
  const part = encodeURIComponent(text)
  const session = await subject.connect(text)
  const named = { ...solid(), [text]: { class_type: 'PreviewAny', inputs: { source: text } } }
  const graph = { ...textToImage(1, 2), x: { class_type: text, inputs: { [text]: text } } }
  const fields = { client_id: text, [text]: text }
  await subject.submit(titled(graph, text), fields)
  await subject.submit(titled(textToImage(2, 2), text), { ...fields, prompt_id: text })
  await subject.upload({ name: `${text}.png`, bytes: Buffer.from(text) })
  await subject.get(`/view?filename=${part}&${part}=${part}`)
  await subject.raw('GET', `/queue?${part}`, undefined, {
    'User-Agent': 'x',
    Accept: text.replaceAll(/[^ -~]/g, ''),
  })
  subject.emulator!.fault({ id: text, when: { message: 'executing' }, then: { delayMs: 1 } })
  await subject.idle()
  await subject.submit(titled(named, text), fields)
  await subject.idle()
  session.send(text)
  await session.settled()
}

/** The kinds of things: a key begins with that of its thing. */
const kinds = ['e', 'c', 'm', 'r', 'n', 'p', 'f']

/** The last things of each kind. */
const someOf = (keys: readonly string[]): readonly string[] =>
  kinds.flatMap((kind) => [...new Set(keys)].filter((key) => key.startsWith(kind)).slice(-3))

/** What is wrong with the elements that a page has created: nothing, if all text is text. */
function wrongWith(page: FakePage): readonly string[] {
  const elements = [...page.created].filter((name) => !known.test(name))
  const attributes = page
    .elements()
    .flatMap(({ attributes }) =>
      Object.entries(attributes).filter(
        ([name, value]) =>
          /^on|^(href|style|srcdoc|action|formaction)$/i.test(name) ||
          (name === 'src' && !/^pictures\/\d+\.\d+$/.test(value)),
      ),
    )
  return [...elements, ...attributes.map((one) => one.join('='))]
}

proves(
  'inspector/escapes',
  async (subject) => {
    await assert(
      asyncProperty(hostile, async (text) => {
        await subject.emulator!.reset()
        await play(subject, text)
        const page = await openFakePage(subject.url)
        try {
          await page.drawn()
          const keys = someOf(page.elements().flatMap(({ dataset }) => dataset['key'] ?? []))
          expect(new Set(keys.map(([kind]) => kind))).toEqual(new Set(kinds))
          let isShown = false
          for (const key of keys) {
            await page.go(key)
            expect(wrongWith(page)).toEqual([])
            isShown ||= page
              .elements()
              .some(({ tag, textContent }) => tag === 'span' && textContent === text)
          }
          expect(isShown).toBe(true)
          // The nodes of the runs that were closed, each tab, and each view.
          for (const name of ['twisty', 'tab', 'toggle'])
            for (let index = 0; await page.click(name, index); index++)
              expect(wrongWith(page)).toEqual([])
        } finally {
          page.close()
        }
      }),
      { numRuns: 3, seed: 7 },
    )
  },
  { ...ownWorld, preview: 'jpeg' },
)
