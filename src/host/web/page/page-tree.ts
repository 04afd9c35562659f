import type { DefaultTreeAdapterTypes } from 'parse5'

export type PageNode = DefaultTreeAdapterTypes.ChildNode
export type PageElement = DefaultTreeAdapterTypes.Element

/** What a walk meets: the beginning of a node, or the end of an element that was entered. */
export interface Visitor {
  /** Whether to go into an element; text has nothing in it. */
  readonly enter: (node: PageNode) => boolean
  readonly leave?: (element: PageElement) => void
}

/** Walks a tree of any depth without recursion. */
export function walkPage(start: PageElement, { enter, leave }: Visitor): void {
  const open: { readonly element: PageElement; next: number }[] = []
  if (enter(start)) open.push({ element: start, next: 0 })
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const child = level.element.childNodes[level.next]
    level.next += 1
    if (child === undefined) {
      open.pop()
      leave?.(level.element)
    } else if (enter(child) && isElement(child)) open.push({ element: child, next: 0 })
  }
}

export function isElement(node: PageNode): node is PageElement {
  return 'tagName' in node
}

/** The text of a text node; null for every other node. */
export function textOf(node: PageNode): string | null {
  return node.nodeName === '#text' && 'value' in node ? node.value : null
}

/** An attribute, or null. */
export function attribute({ attrs }: PageElement, name: string): string | null {
  return attrs.find((one) => one.name === name)?.value ?? null
}

/** All text below an element, as it is written, without what readers do not see. */
export function textBelow(element: PageElement): string {
  const parts: string[] = []
  walkPage(element, {
    enter: (node) => {
      const text = textOf(node)
      if (text !== null) parts.push(text)
      if (isElement(node) && node.tagName === 'br') parts.push('\n')
      return isElement(node) && isVisible(node)
    },
  })
  return parts.join('')
}

/** What browsers do not show as text, and what only scripts and forms use. */
const UNSEEN: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'iframe',
  'object',
  'embed',
  'svg',
  'canvas',
  'audio',
  'video',
  'map',
  'input',
  'select',
  'textarea',
  'button',
  'datalist',
  'noembed',
  'noframes',
])

const UNSEEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*0(?:\.0+)?(?:px|em|rem|pt|%)?\s*(?:;|!|$)|text-indent\s*:\s*-\d{3,}|clip\s*:|clip-path\s*:\s*inset\(\s*(?:50|100)%)/i

/** Names by which pages hide text from the eye that is meant for screen readers. */
const UNSEEN_CLASS = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-(?:text|only))(?:\s|$)/i

/** Whether a reader sees what is in an element, as far as the element itself says so. */
export function isVisible(element: PageElement): boolean {
  const { tagName } = element
  if (UNSEEN.has(tagName) || attribute(element, 'hidden') !== null) return false
  if (attribute(element, 'aria-hidden') === 'true') return false
  if (tagName === 'dialog' && attribute(element, 'open') === null) return false
  const style = attribute(element, 'style')
  if (style !== null && UNSEEN_STYLE.test(style)) return false
  const names = attribute(element, 'class')
  return names === null || !UNSEEN_CLASS.test(names)
}
