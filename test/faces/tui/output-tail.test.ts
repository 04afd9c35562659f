import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { appendOutput, hiddenLines, NO_OUTPUT, tailLines } from '../../../src/faces/tui/view/output-tail.ts'

const feed = (chunks: readonly string[], most: number) =>
  chunks.reduce((tail, chunk) => appendOutput(tail, chunk, most), NO_OUTPUT)

describe('the end of what a command prints', () => {
  it('FR-TUI-03: the last 50 lines are kept, and how many came before is known', () => {
    const tail = feed(
      Array.from({ length: 12_345 }, (_, index) => `line ${index}\n`),
      50,
    )
    expect(tailLines(tail, 50)).toEqual(Array.from({ length: 50 }, (_, index) => `line ${12_295 + index}`))
    expect(hiddenLines(tail, 50)).toBe(12_295)
  })

  it('FR-TUI-03: at every moment all of the last 50 lines are there, also when older ones have just been let go', () => {
    const lines = Array.from({ length: 300 }, (_, index) => `${index} ${'x'.repeat(300)}`)
    let tail = NO_OUTPUT
    for (const [index, line] of lines.entries()) {
      tail = appendOutput(tail, `${line}\n`, 50)
      expect(tailLines(tail, 50)).toEqual(lines.slice(Math.max(0, index - 49), index + 1))
    }
  })

  it('lines that are off the screen are counted but not worked on', () => {
    const tail = feed(['one\ntwo\nthree\n'], 50)
    expect(tailLines(tail, 50, 2)).toEqual(['', 'two', 'three'])
    expect(tailLines(tail, 50, 12)).toEqual(['one', 'two', 'three'])
  })

  it('however it is cut into chunks, the same lines are shown', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 30 })
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 40 }),
        fc.array(fc.nat(60), { maxLength: 30 }),
        (lines, cuts) => {
          const text = lines.map((one) => `${one}\n`).join('')
          const chunks: string[] = []
          let rest = text
          for (const cut of cuts) {
            chunks.push(rest.slice(0, cut))
            rest = rest.slice(cut)
          }
          expect(tailLines(feed([...chunks, rest], 5), 5)).toEqual(lines.slice(-5))
        },
      ),
    )
  })

  it('memory stays bounded, also where no line ever ends', () => {
    const tail = feed(
      Array.from({ length: 500 }, () => 'x'.repeat(10_000)),
      50,
    )
    expect(tail.raw.length).toBeLessThanOrEqual(50 * 400)
    expect(tailLines(tail, 50)[0]?.length).toBeLessThanOrEqual(400)
  })

  it('what is written over shows what stands there last; escape sequences never pass', () => {
    const [first, second] = tailLines(feed(['10 %\r20 %\r\n', '\u001b[2J\u001b]0;title\u0007ok\n'], 50), 50)
    expect([first, second]).toEqual(['20 %', 'ok'])
  })
})
