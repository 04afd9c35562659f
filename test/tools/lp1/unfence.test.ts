import { describe, expect, it } from 'vitest'
import { parsePatch, unfence } from '../../../src/tools/lp1/parse.ts'
import { patchOf } from './run-patch.ts'

const TICKS = '`'.repeat(3)

describe('a markdown fence around a patch', () => {
  const whole = 'LP1\nF f\nEND'

  it.each([
    ['a bare one', `${TICKS}\n${whole}\n${TICKS}`],
    ['one with a word', `${TICKS}lp1\n${whole}\n${TICKS}\n`],
    ['blank lines around it', `\n \n${TICKS} text\n${whole}\n\n${TICKS}  \n\n`],
    ['tildes', `~~~lp1\n${whole}\n~~~~`],
    ['CRLF', `${TICKS}\r\n${whole.replaceAll('\n', '\r\n')}\r\n${TICKS}\r\n`],
    ['a longer one', `\`${TICKS}\n${whole}\n\`${TICKS}`],
  ])('is taken off: %s', (_title, text) => {
    expect(parsePatch(unfence(text))).toMatchObject({ ok: true, patch: { sections: [{ path: 'f' }] } })
  })

  it.each([
    ['no fence', `${whole}\n`],
    ['none at the end', `${TICKS}\n${whole}`],
    ['none at the start', `${whole}\n${TICKS}`],
    ['a shorter one at the end', `\`${TICKS}\n${whole}\n${TICKS}`],
    ['another kind at the end', `${TICKS}\n${whole}\n~~~`],
    ['words after it', `${TICKS}\n${whole}\n${TICKS}\nDone.`],
    ['a single line', TICKS],
    ['nothing', ''],
  ])('is left alone where it does not surround: %s', (_title, text) => {
    expect(unfence(text)).toBe(text)
  })

  it('comes off once, not twice', () => {
    const text = `${TICKS}\n${TICKS}\n${whole}\n${TICKS}\n${TICKS}`
    expect(parsePatch(unfence(text))).toMatchObject({ error: { code: 'invalid_header', line: 2 } })
  })

  it('leaves line numbers as they are in the text that was given', () => {
    const text = `\n${TICKS}lp1\nLP1\nF f\nQ\nEND\n${TICKS}`
    expect(parsePatch(unfence(text))).toMatchObject({ error: { code: 'unknown_op', line: 5, column: 1 } })
  })

  it('keeps fences inside blocks', () => {
    const text = `${TICKS}\nLP1\nF f\nT\n${TICKS}\ncode\n${TICKS}\n.\nEND\n${TICKS}`
    expect(patchOf(unfence(text)).sections[0]?.ops).toMatchObject([{ fresh: [TICKS, 'code', TICKS] }])
  })
})
