import { describe, expect, it } from 'vitest'
import { readFrontMatter } from '../../../src/runtime/prompt-files/front-matter.ts'

function headerOf(lines: readonly string[]) {
  const read = readFrontMatter(new TextEncoder().encode(`---\n${lines.join('\n')}\n---\nText.\n`))
  if (!read.ok) throw new Error(read.why)
  return read
}

describe('the front matter of a file of words', () => {
  it.each([
    [['name: a b'], { text: 'a b', isLong: false }],
    [['name: "a b"'], { text: 'a b', isLong: false }],
    [['name: "a', '  b"'], { text: 'a b', isLong: true }],
    [['name: |', '  a', '  b'], { text: 'a b', isLong: true }],
    [['name:', '  a'], { text: 'a', isLong: true }],
  ])('%j', (lines, value) => {
    expect(headerOf(lines).values.get('name')).toEqual(value)
  })

  it.each([
    ['a value that goes on for a million lines', ['name: x', ...Array<string>(1_000_000).fill(' a')]],
    ['a million blanks before a value', [`name:${' '.repeat(1_000_000)}x\u2028y`]],
    ['a quote that never ends', [`name: "${'"a'.repeat(500_000)}`]],
    ['a line without a meaning', ['x'.repeat(1_000_000)]],
  ])('of an untrusted skill cannot keep a start waiting: %s', (_title, lines) => {
    const { values, fault } = headerOf(lines)
    expect(values.size).toBeLessThanOrEqual(1)
    expect((fault ?? '').length).toBeLessThan(400)
  })
})
