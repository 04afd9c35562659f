import { attribute, isElement, isVisible, textOf, walkPage } from './page-tree.ts'
import type { PageElement } from './page-tree.ts'

/** A part that says it is the main one has to have this share of the text, or as many characters. */
const LEAST_SHARE = 0.2
const ENOUGH_CHARS = 500

/** The part of a page that holds what it is about; all of its body if no part says so. */
export function findMain(root: PageElement): PageElement {
  const body = root.childNodes.find((node) => isElement(node) && node.tagName === 'body')
  const whole = body !== undefined && isElement(body) ? body : root
  const mains: PageElement[] = []
  const articles: PageElement[] = []
  walkPage(whole, {
    enter: (node) => {
      if (!isElement(node) || !isVisible(node)) return false
      if (node.tagName === 'main' || attribute(node, 'role') === 'main') mains.push(node)
      else if (node.tagName === 'article') articles.push(node)
      return true
    },
  })
  const all = measureText(whole)
  const isEnough = (part: PageElement): boolean => {
    const size = measureText(part)
    return size >= ENOUGH_CHARS || size >= all * LEAST_SHARE
  }
  const [main] = mains
  if (main !== undefined && isEnough(main)) return main
  // Several articles are a list of them, which is then the content.
  const [article, ...others] = articles
  return article !== undefined && others.length === 0 && isEnough(article) ? article : whole
}

/** How much text a reader would see, blanks left out. */
function measureText(element: PageElement): number {
  let size = 0
  walkPage(element, {
    enter: (node) => {
      size += textOf(node)?.replaceAll(/\s+/g, '').length ?? 0
      return isElement(node) && isVisible(node)
    },
  })
  return size
}
