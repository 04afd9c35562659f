import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFrame } from '../../scripts/pictures/ansi-frame.ts'
import { renderFrame } from '../../scripts/pictures/frame-svg.ts'
import { renderRecording } from '../../scripts/pictures/recording-svg.ts'
import { TOP } from '../../scripts/run-tool.ts'
import { findFault } from './well-formed.ts'

const FOLDER = join(TOP, 'docs/pictures')
const PICTURES = readdirSync(FOLDER, { encoding: 'utf8', recursive: true }).filter((name) =>
  name.endsWith('.svg'),
)
const MOST_BYTES = 60_000

const pages = (): string =>
  readdirSync(join(TOP, 'docs'), { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(TOP, 'docs', name), 'utf8'))
    .join('\n')

describe('the pictures of the docs', () => {
  it.for(PICTURES)('%s is a small, well-formed picture without paths of a machine', (name) => {
    const svg = readFileSync(join(FOLDER, name), 'utf8')
    expect(findFault(svg)).toBeNull()
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox=/)
    expect(Buffer.byteLength(svg)).toBeLessThan(MOST_BYTES)
    expect(svg.match(/<text /g)?.length).toBeGreaterThan(10)
    expect(svg).not.toMatch(/\/tmp|\/home|\/root|\/work/)
  })

  it('are all on a page', () => {
    expect(PICTURES.filter((name) => !pages().includes(`pictures/${name})`))).toEqual([])
  })
})

describe('a frame of a terminal as a picture', () => {
  it('keeps colours, weight and columns', () => {
    const frame =
      '\u001b[1;31mred\u001b[0m plain\u001b[48;5;22m \u001b[38;2;1;2;3mdeep\u001b[39;49m\n\u001b[4mline\u001b[24m\n'
    const [first = [], second = []] = readFrame(frame)
    expect(first.map(({ text, column, fore, back, isBold }) => [text, column, fore, back, isBold])).toEqual([
      ['red', 0, '#e0787f', null, true],
      [' plain', 3, null, null, false],
      [' ', 9, null, '#005f00', false],
      ['deep', 10, '#010203', '#005f00', false],
    ])
    expect(second).toMatchObject([{ text: 'line', isUnderlined: true }])
  })

  it('carries a look over to the next row, as a terminal does', () => {
    expect(readFrame('\u001b[7mone\ntwo\u001b[27m')).toMatchObject([
      [{ isInverse: true }],
      [{ isInverse: true }],
    ])
  })

  it('counts wide letters as two columns', () => {
    expect(readFrame('\u001b[1m日本\u001b[0m!')[0]).toMatchObject([{ columns: 4 }, { text: '!', column: 4 }])
  })

  it.for([
    ['other sequences', '\u001b[2Ka\u001b]8;;http://x\u001b\\b\u001b(Bc'],
    ['control characters', 'a\u0007\u000eb\u0000c'],
    ['a torn sequence', 'abc\u001b'],
  ])('leaves out %s', ([, frame]) => {
    expect(
      readFrame(frame ?? '')[0]
        ?.map(({ text }) => text)
        .join(''),
    ).toBe('abc')
  })

  it('escapes what would be markup, and is well-formed', () => {
    const svg = renderFrame('<a href="x"> & \u001b[31m]]></a>\u001b[0m\n', { title: '"<&>"', columns: 40 })
    expect(findFault(svg)).toBeNull()
    expect(svg).toContain('&lt;a href=&quot;x&quot;&gt; &amp;')
  })

  it('draws inverse text in the ground of the picture', () => {
    expect(renderFrame('\u001b[7mX', { title: 't', columns: 1 })).toMatch(
      /<rect [^>]*fill="#d5d9e0"\/>\n<text [^>]*fill="#1c1f26"/,
    )
  })
})

describe('the check for being well-formed', () => {
  it.for([
    '<a><b></a></b>',
    '<a>',
    '<a></a><b/>',
    '<a x=1/>',
    '<a>&nope;</a>',
    '<a>5 < 6</a>',
    '<a x="1" x="2"/>',
    '<a>\u0001</a>',
    'text',
    '',
  ])('refuses %j', (xml) => {
    expect(findFault(xml)).not.toBeNull()
  })

  it('takes what is', () => {
    expect(findFault('<a x="1" y=\'&lt;\'>t &amp; &#10; <b/><c>d</c></a>\n')).toBeNull()
  })
})

describe('a recording', () => {
  const shots = ['one\nsame\n', 'two\nsame\n', 'one\nsame\n'].map((frame, at) => ({ frame, seconds: at + 1 }))
  const svg = renderRecording(shots, { title: 'r', columns: 10 })

  it('draws what several shots share once, and says when each row is there', () => {
    expect(findFault(svg)).toBeNull()
    expect(svg.match(/<text [^>]*>same</g)).toHaveLength(1)
    expect(svg.match(/<text [^>]*>one</g)).toHaveLength(1)
    expect(svg).toContain('animation-duration: 6s')
    expect(svg).toContain(
      '{ 0% { visibility: visible; } 16.67% { visibility: hidden; } 50% { visibility: visible; } }',
    )
    expect(svg).toContain(
      '{ 0% { visibility: hidden; } 16.67% { visibility: visible; } 50% { visibility: hidden; } }',
    )
  })

  it('shows its last shot to those who want no motion', () => {
    const [, ofOne] = /<g class="(s\d+)">\n<text [^>]*>one</.exec(svg) ?? []
    const [, ofTwo] = /<g class="(s\d+)">\n<text [^>]*>two</.exec(svg) ?? []
    expect(svg).toContain(`.${ofOne} { visibility: visible;`)
    expect(svg).toContain(`.${ofTwo} { visibility: hidden;`)
  })
})
