import { parse } from 'parse5'
import type { PageText } from '../../../core/web/web.ts'
import { findMain } from './find-main.ts'
import { attribute, isElement, isVisible, textBelow, textOf, walkPage } from './page-tree.ts'
import type { PageElement, PageNode } from './page-tree.ts'
import { PageWriter } from './page-writer.ts'

/** Elements that stand on lines of their own, and whether an empty line sets them apart. */
const BLOCKS: Readonly<Record<string, 0 | 1>> = {
  address: 0,
  article: 1,
  aside: 1,
  blockquote: 1,
  body: 1,
  caption: 0,
  center: 0,
  dd: 0,
  details: 1,
  div: 0,
  dl: 1,
  dt: 0,
  fieldset: 1,
  figcaption: 0,
  figure: 1,
  footer: 1,
  form: 1,
  h1: 1,
  h2: 1,
  h3: 1,
  h4: 1,
  h5: 1,
  h6: 1,
  header: 1,
  hgroup: 1,
  li: 0,
  main: 1,
  ol: 1,
  p: 1,
  section: 1,
  summary: 0,
  table: 1,
  tr: 0,
  ul: 1,
}

const MOST_TITLE_CHARS = 200
/** A page with less text than this and scripts is most likely filled by them. */
const SHELL_CHARS = 200
/** Text of links that only point at their own place. */
const PERMALINK = /^(?:#|¶|§|🔗|\[link\]|link|permalink)?$/iu

/** What a reader would see of a page: its main part as compact Markdown, with links. */
export function renderPage(html: string, base: string): PageText {
  const document = parse(html, { scriptingEnabled: false })
  const root = document.childNodes.find((node) => isElement(node) && node.tagName === 'html')
  if (root === undefined || !isElement(root)) return { title: null, text: '', needsScript: false }
  const { title, hasScript, baseHref } = readHead(root)
  const text = renderElement(findMain(root), URL.parse(baseHref ?? base, base)?.href ?? base)
  return { title, text, needsScript: hasScript && text.length < SHELL_CHARS }
}

function readHead(root: PageElement) {
  let title: string | null = null
  let baseHref: string | null = null
  let hasScript = false
  walkPage(root, {
    enter: (node) => {
      if (!isElement(node)) return false
      if (node.tagName === 'title' && title === null && node.namespaceURI.endsWith('xhtml'))
        title = textBelow(node).replaceAll(/\s+/g, ' ').trim().slice(0, MOST_TITLE_CHARS)
      if (node.tagName === 'base') baseHref ??= attribute(node, 'href')
      hasScript ||= node.tagName === 'script'
      return true
    },
  })
  return { title: title as string | null, baseHref: baseHref as string | null, hasScript }
}

function renderElement(start: PageElement, base: string): string {
  const writer = new PageWriter()
  const lists: { readonly isOrdered: boolean; count: number }[] = []
  /** The ends of the links that are open; null for those that lead to no page. */
  const links: (string | null)[] = []
  const dataTables = new Set<PageElement>()
  const inTable = (): boolean => dataTables.size > 0

  const enter = (node: PageNode): boolean => {
    const text = textOf(node)
    if (text !== null) writer.text(text)
    if (!isElement(node) || !isVisible(node)) return false
    const { tagName } = node
    if (tagName === 'nav' && node !== start) return false
    const gap = BLOCKS[tagName]
    if (gap !== undefined && Object.hasOwn(BLOCKS, tagName)) writer.block(lists.length > 0 ? 0 : gap)
    switch (tagName) {
      case 'br':
        writer.block(0)
        return false
      case 'hr':
        writer.block(1)
        writer.text('---')
        writer.block(1)
        return false
      case 'img': {
        const shown = (attribute(node, 'alt') ?? '').trim()
        if (shown !== '') writer.text(`[image: ${shown}]`)
        return false
      }
      case 'pre':
        writer.fenced(textBelow(node), languageOf(node))
        return false
      case 'a':
        if (isPermalink(node)) return false
        links.push(linkEnd(attribute(node, 'href'), base))
        if (links.at(-1) !== null) writer.open('[')
        return true
      case 'code':
      case 'kbd':
      case 'samp':
        writer.open('`')
        return true
      case 'blockquote':
        writer.indent('> ', '> ')
        return true
      case 'ul':
      case 'ol':
        lists.push({ isOrdered: tagName === 'ol', count: Number(attribute(node, 'start') ?? 1) || 1 })
        return true
      case 'li':
        beginItem()
        return true
      case 'dd':
        writer.indent('  ', ': ')
        return true
      case 'table':
        if (isDataTable(node)) dataTables.add(node)
        return true
      case 'td':
      case 'th':
        if (inTable()) writer.openCell()
        else writer.block(0)
        return true
      default:
        if (/^h[1-6]$/.test(tagName)) writer.open(`${'#'.repeat(Number(tagName[1]))} `)
        return true
    }
  }

  const beginItem = (): void => {
    const list = lists.at(-1)
    const bullet = list?.isOrdered === true ? `${list.count}. ` : '- '
    if (list !== undefined) list.count += 1
    writer.indent(' '.repeat(bullet.length), bullet)
  }

  const closeLink = (end: string | null): void => {
    if (end !== null) writer.close(end)
  }

  const leave = (element: PageElement): void => {
    const { tagName } = element
    switch (tagName) {
      case 'a':
        closeLink(links.pop() ?? null)
        break
      case 'code':
      case 'kbd':
      case 'samp':
        writer.close('`')
        break
      case 'blockquote':
      case 'li':
      case 'dd':
        writer.outdent()
        break
      case 'ul':
      case 'ol':
        lists.pop()
        break
      case 'table':
        dataTables.delete(element)
        break
      case 'td':
      case 'th':
        if (inTable()) writer.closeCell()
        break
      case 'tr':
        if (inTable()) writer.closeRow()
        break
      default:
        if (/^h[1-6]$/.test(tagName)) writer.close('')
    }
    const gap = BLOCKS[tagName]
    if (gap !== undefined && Object.hasOwn(BLOCKS, tagName)) writer.block(lists.length > 0 ? 0 : gap)
  }

  walkPage(start, { enter, leave })
  return writer.end()
}

function languageOf(pre: PageElement): string {
  const code = pre.childNodes.find((node) => isElement(node))
  const names = [pre, ...(code === undefined ? [] : [code])].map((one) => attribute(one, 'class') ?? '')
  return /\b(?:language|lang|highlight-source)-([\w+#-]{1,20})/.exec(names.join(' '))?.[1] ?? ''
}

function isPermalink(link: PageElement): boolean {
  const href = attribute(link, 'href')
  return href?.startsWith('#') === true && PERMALINK.test(textBelow(link).trim())
}

/** The end of a link: places on the same server without it, others in full; null for what is no page. */
function linkEnd(href: string | null, base: string): string | null {
  const target = href === null || href.startsWith('#') ? null : URL.parse(href.trim(), base)
  if (target === null || !/^(?:https?|mailto):$/.test(target.protocol)) return null
  const from = new URL(base)
  const isHere = target.origin === from.origin
  const shown = isHere ? `${target.pathname}${target.search}${target.hash}` : target.href
  return `](${shown.replaceAll(/[()\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)})`
}

/** Whether the cells of a table belong side by side; one that holds another only lays out the page. */
function isDataTable(table: PageElement): boolean {
  let widest = 0
  let isLayout = false
  let cells = 0
  walkPage(table, {
    enter: (node) => {
      if (!isElement(node)) return false
      const { tagName } = node
      if (tagName === 'tr') cells = 0
      if (tagName === 'td' || tagName === 'th') widest = Math.max(widest, ++cells)
      isLayout ||= node !== table && (tagName === 'table' || tagName === 'pre' || tagName === 'ul')
      return !isLayout
    },
  })
  return !isLayout && widest > 1
}
