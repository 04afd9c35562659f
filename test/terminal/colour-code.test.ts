import { describe, expect, it } from 'vitest'
import { colourCode } from '../../src/terminal/colour-code.ts'
import type { Paint } from '../../src/terminal/paint.ts'

const paint: Paint = (style, text) => `<${style}:${text}>`

describe('colours of a language', () => {
  it.each([
    ["const a = 'if' // for", 'src/a.ts', "<magenta:const> a = <cyan:'if'> <dim:// for>"],
    ['def of(x): # return', 'a.py', '<magenta:def> <magenta:of>(x): <dim:# return>'],
    ['a#b = 12', 'a.toml', 'a#b = <cyan:12>'],
    [' * if it is', 'a.js', '<dim: * if it is>'],
    ['SELECT a -- if', 'sql', '<magenta:SELECT> a <dim:-- if>'],
    ['let x = "an open', 'rs', '<magenta:let> x = <cyan:"an open>'],
    ['if this is prose', 'notes.txt', 'if this is prose'],
    ['if this is prose', '', 'if this is prose'],
  ])('%s of %s', (line, name, coloured) => {
    expect(colourCode(line, name, paint)).toBe(coloured)
  })

  it('leaves a changed line in the colour of its change, and marks words only by their weight', () => {
    expect(colourCode('return 1 // x', 'a.ts', paint, 'green')).toBe('<green:<bold:return> 1 <italic:// x>>')
    expect(colourCode('return', 'a.txt', paint, 'red')).toBe('<red:return>')
  })

  it('never drops or adds a character', () => {
    const line = '"\\" \' ` /* 1 */ #! -- $a _b 3.5e9 \u4e2d if'
    for (const name of ['js', 'py', 'lua', 'md'])
      expect(colourCode(line, name, (_style, text) => text)).toBe(line)
  })
})
