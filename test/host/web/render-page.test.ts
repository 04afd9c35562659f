import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ToolFailure } from '../../../src/core/error.ts'
import { readPage } from '../../../src/host/web/read-page.ts'
import { renderPage } from '../../../src/host/web/page/render-page.ts'
import { roundsOf } from '../../harness/long-run.ts'

const BASE = 'https://example.com/docs/page.html'
const NEVER = new AbortController().signal

function textOf(html: string): string {
  return renderPage(html, BASE).text
}

describe('a page as text', () => {
  it.for([
    ['paragraphs', '<p>One\n  two</p><p>three', 'One two\n\nthree'],
    ['headings', '<h1>A</h1><h3>B <a href="#b">¶</a></h3><h2></h2>c', '# A\n\n### B\n\nc'],
    ['line breaks', 'one<br>two<br><br>three', 'one\ntwo\nthree'],
    ['a rule', 'one<hr>two', 'one\n\n---\n\ntwo'],
    ['a link of the same server', '<a href="../x?y#z">there</a>', '[there](/x?y#z)'],
    [
      'a link elsewhere',
      '<a href="//other.test/a(b) c">there</a>',
      '[there](https://other.test/a%28b%29%20c)',
    ],
    ['links that lead to no page', '<a href="javascript:x()">a</a> <a href="#x">b</a> <a>c</a>', 'a b c'],
    ['an empty link', 'a <a href="/x"><img src="i"></a> b', 'a b'],
    ['a base', '<base href="https://other.test/"><a href="x">there</a>', '[there](/x)'],
    ['a picture', '<img src="a" alt="A view"><img src="b" alt="">', '[image: A view]'],
    ['code', 'call <code>f(x)</code> now', 'call `f(x)` now'],
    ['a program', '<pre><code class="language-ts">let a\n  = 1\n</code></pre>', '```ts\nlet a\n  = 1\n```'],
    ['a program with fences', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    ['a list', '<ul><li>a<li>b<ol start=3><li>c<li>d</ol></ul>e', '- a\n- b\n  3. c\n  4. d\n\ne'],
    ['items of several lines', '<ul><li><p>a</p><p>b</p></li></ul>', '- a\n  b'],
    ['a quote', 'x<blockquote><p>a</p><p>b</p></blockquote>y', 'x\n\n> a\n>\n> b\n\ny'],
    ['terms', '<dl><dt>a<dd>b<dt>c<dd>d</dl>', 'a\n: b\nc\n: d'],
    ['a table', '<table><tr><th>a<th>b<tr><td>1|2<td><p>3</p><p>4</p></table>', '| a | b |\n| 1\\|2 | 3 4 |'],
    ['a table for layout', '<table><tr><td><table><tr><td>a<td>b</table><td>c</table>', '| a | b |\n\nc'],
    ['a table of one column', '<table><tr><td>a<tr><td>b</table>', 'a\nb'],
    ['entities', '&lt;b&gt; &amp;amp; &euro; &#x1F600;', '<b> &amp; € 😀'],
    ['blanks between elements', '<b>a</b> <i>b</i><span>c</span>', 'a bc'],
    ['a link around blocks', '<a href="/x"><h2>T</h2><p>w</p></a>', '## [T\n\nw](/x)'],
    ['what is not closed', '<div><p>a<div>b<span>c', 'a\n\nbc'],
    ['nothing', '', ''],
  ] as const)('%s', ([, html, text]) => {
    expect(textOf(html)).toBe(text)
  })

  it('is its main part, if it says which that is and there is something in it', () => {
    const around = '<nav><a href=/>Home</a></nav><header>Head</header>%<footer>Foot</footer>'
    const words = 'Words. '.repeat(20).trim()
    expect(textOf(around.replace('%', `<main><p>${words}</p></main>`))).toBe(words)
    expect(textOf(around.replace('%', `<div role="main"><nav>toc</nav><p>${words}</p></div>`))).toBe(words)
    expect(textOf(around.replace('%', `<article><p>${words}</p></article>`))).toBe(words)
    expect(textOf(around.replace('%', `<main></main><p>${words}</p>`))).toContain(words)
    const two = textOf(around.replace('%', '<article>One</article><article>Two</article>'))
    expect(two).toBe('Head\n\nOne\n\nTwo\n\nFoot')
  })

  it('has a title, and says if a script would have to fill it', () => {
    expect(renderPage('<title> A\n  B </title><p>x', BASE)).toMatchObject({
      title: 'A B',
      needsScript: false,
    })
    expect(renderPage('<div id=root></div><script src=x></script>', BASE).needsScript).toBe(true)
    expect(renderPage('<svg><title>not this</title></svg>', BASE).title).toBeNull()
  })

  it('has no mark of its own that a page has not', () => {
    const words = fc.constantFrom(
      'a',
      ' ',
      'b c',
      '\n',
      '<b>',
      '</b>',
      '<p>',
      '<a href=x>',
      '</a>',
      '<ul><li>',
      '</ul>',
    )
    const more = fc.constantFrom(
      '<table><tr><td>',
      '</table>',
      '<pre>',
      '</pre>',
      '<blockquote>',
      '</blockquote>',
    )
    const page = fc.array(fc.oneof(words, more), { maxLength: 40 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(page, (html) => {
        const letters = textOf(html)
          .replaceAll(/\]\(\/docs\/x\)/g, '')
          .replaceAll(/[^abc]/g, '')
        const written = html.replaceAll(/<[^>]*>/g, '').replaceAll(/[^abc]/g, '')
        expect([...letters].toSorted().join('')).toBe([...written].toSorted().join(''))
      }),
      { numRuns: roundsOf(300, 20_000) },
    )
  })
})

describe('a page that was made to be a nuisance', () => {
  it.for([
    ['deep', '<b>'.repeat(3_000)],
    ['deep lists', '<ul><li>x'.repeat(1_000)],
    ['deep tables', '<table><tr><td>'.repeat(300)],
    ['many attributes', `<p ${'a=b '.repeat(50_000)}>x`],
    ['an endless tag', `<a href="${'x'.repeat(1_000_000)}`],
    ['backticks', `<pre>${'`'.repeat(1_000_000)}`],
    ['comments', '<!--'.repeat(100_000)],
    ['entities', '&amp;'.repeat(100_000)],
  ] as const)('is read on a thread of its own, which ends: %s', async ([, html]) => {
    const { text } = await readPage(html, BASE, NEVER)
    expect(text.length).toBeLessThan(3_000_000)
  })

  it('does not hold up this thread, and is given up', async () => {
    let ticks = 0
    const timer = setInterval(() => (ticks += 1), 20)
    try {
      const error: unknown = await readPage('<b>'.repeat(1_500_000), BASE, NEVER, 500).catch(
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(ToolFailure)
      expect((error as ToolFailure).message).toContain('too complex')
      expect(ticks).toBeGreaterThan(10)
    } finally {
      clearInterval(timer)
    }
  })

  it.each(['<template>', '<svg><g>', '<math><mi>', '<select><option>', '<button><a>'])(
    'is given up, and no crash, however deep it is: %s',
    async (tags) => {
      const read = readPage(tags.repeat(100_000), BASE, NEVER).then(
        () => 'read',
        (error: unknown) => (error instanceof ToolFailure ? error.error.message : String(error)),
      )
      expect(await read).toMatch(/^(?:read|The page is too complex to be read as text\.)$/)
    },
  )

  it('is given up when the call is cancelled', async () => {
    const stop = new AbortController()
    const reading = readPage('<b>'.repeat(1_500_000), BASE, stop.signal)
    stop.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
  })
})
