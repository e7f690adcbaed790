// Creates the elements of the page. Text from a server becomes text only, never an element: nothing here parses markup,
// and the policy of the page forbids it.

export type Child = Node | string | number | null | undefined | false

type Tag =
  | 'a'
  | 'button'
  | 'code'
  | 'dd'
  | 'form'
  | 'details'
  | 'dl'
  | 'dt'
  | 'div'
  | 'h2'
  | 'h3'
  | 'img'
  | 'li'
  | 'ol'
  | 'option'
  | 'p'
  | 'pre'
  | 'section'
  | 'span'
  | 'summary'
  | 'table'
  | 'tbody'
  | 'td'
  | 'thead'
  | 'th'
  | 'tr'
  | 'input'
  | 'select'
  | 'ul'
  | 'label'
  | 'b'
  | 'kbd'
  | 'i'

type Props = {
  readonly class?: string
  readonly title?: string
  /** Which thing of the session it stands for. */
  readonly key?: string | undefined
  /** Where the focus returns after the page is drawn again. */
  readonly focus?: string | undefined
  readonly click?: ((event: MouseEvent) => void) | undefined
  /** Position and width in pixels. */
  readonly left?: number
  readonly width?: number | undefined
  readonly attributes?: Readonly<Record<string, string>>
}

export function el(tag: Tag, props: Props = {}, ...children: readonly Child[]): HTMLElement {
  const element: HTMLElement = document.createElement(tag)
  const { class: name, title, key, focus, click, left, width, attributes = {} } = props
  if (name !== undefined) element.className = name
  if (title !== undefined) element.title = title
  if (key !== undefined) element.dataset['key'] = key
  if (focus !== undefined) element.dataset['focus'] = focus
  if (click !== undefined) element.addEventListener('click', click)
  if (left !== undefined) element.style.left = `${left}px`
  if (width !== undefined) element.style.width = `${width}px`
  if (tag === 'button') element.setAttribute('type', 'button')
  for (const [attribute, value] of Object.entries(attributes))
    element.setAttribute(attribute, value)
  add(element, children)
  return element
}

/** Appends children; numbers and texts become text. */
export function add(element: Element, children: readonly Child[]): void {
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(typeof child === 'object' ? child : `${child}`)
}

/** Replaces what an element holds, and restores the focus of the element that stands for the same thing. */
export function fill(element: Element, ...children: readonly Child[]): void {
  const active = document.activeElement as HTMLElement | null
  const focus = active !== null && element.contains(active) ? active.dataset['focus'] : undefined
  element.replaceChildren()
  add(element, children)
  if (focus === undefined) return
  for (const one of element.querySelectorAll<HTMLElement>('[data-focus]'))
    if (one.dataset['focus'] === focus) return one.focus({ preventScroll: true })
}

/** An element of the page by its id. */
export const byId = (id: string): HTMLElement => document.getElementById(id) as HTMLElement
