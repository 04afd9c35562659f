import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOwnPaint, finishText } from '../../src/terminal/own-styles.ts'
import { columnsOf } from '../../src/terminal/fit-rows.ts'
import { createPaint } from '../../src/terminal/paint.ts'

const paint = createOwnPaint(true)
const BOLD_RED = '\u001b[1m\u001b[31mno\u001b[39m\u001b[22m'

describe('what goes out to a terminal', () => {
  it('keeps our own styles, and no others', () => {
    expect(finishText(`${paint('bold', paint('red', 'no'))} \u001b[32myes\u001b[0m`)).toBe(`${BOLD_RED} yes`)
  })

  it('holds no sequence that a style would complete or break off', () => {
    expect(finishText(`\u001b${paint('red', '\u001b[3')}1m\u001b]0;${paint('red', 'a')}\u0007`)).toBe(
      '\\u{1B}\u001b[31m\\u{1B}[3\u001b[39m1m\\u{1B}]0;\u001b[31ma\u001b[39m\\u{7}',
    )
  })

  it('is ASCII for a terminal that may take the bytes of a letter for a sequence', () => {
    const shown = finishText(`${paint('dim', '  │')} ls Û31mש…`, true)
    expect(shown).toBe(
      String.raw`@  |@ ls \u{db}31m\u{5e9}.`.replace('@', '\u001b[2m').replace('@', '\u001b[22m'),
    )
    expect(Buffer.from(shown).every((byte) => byte < 0x80)).toBe(true)
    expect(finishText('Û', false)).toBe('Û')
  })

  it('does not take the style of another process for ours', () => {
    const [, mark = ''] = /(\d+);31m/.exec(paint('red', '')) ?? []
    const forged = createPaint(true, `${Number(mark) - 1};`)('red', 'forged')
    expect(finishText(forged)).toBe('forged')
    expect(finishText(paint('bold', forged))).toBe('\u001b[1mforged\u001b[22m')
    expect(finishText(createPaint(true)('red', 'forged'))).toBe('forged')
  })

  it('is laid out as if a style took up no columns', () => {
    expect(columnsOf(paint('red', 'four'))).toBe(4)
  })

  it('acts on a terminal with nothing but a style of ours, whatever is printed', () => {
    const text = fc.string({
      unit: fc.constantFrom('\u001b', '[', ']', '3', '1', 'm', ';', '\u0007', '\u009b', 'é'),
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), text), { maxLength: 5 }), (parts) => {
        const printed = parts.map(([isPainted, part]) => (isPainted ? paint('red', part) : part)).join('')
        const rest = finishText(printed).replaceAll(/\u001b\[(?:31|39)m/g, '')
        expect(rest).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
        expect(finishText(printed).split('\u001b[31m')).toHaveLength(
          1 + parts.filter(([isPainted]) => isPainted).length,
        )
      }),
    )
  })
})
