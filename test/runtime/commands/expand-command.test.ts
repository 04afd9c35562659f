import { describe, expect, it } from 'vitest'
import { PROMPT_FILE_LIMITS } from '../../../src/config/fixed-values.ts'
import { expandCommand, expandLine } from '../../../src/runtime/commands/expand-command.ts'

const expand = (text: string, given: string) => expandCommand({ name: 'x', text }, given)

describe('the placeholders of a command', () => {
  it.for([
    ['Fix $ARGUMENTS now.', ' the  tests ', 'Fix the  tests now.'],
    ['$1 before $2, not $3.', 'one two', 'one before two, not .'],
    ['$1|$2', '"two words" \'and three more\'', 'two words|and three more'],
    ['$1|$2', "don't stop", "don't|stop"],
    [
      'It costs $$5, $$$1, $100 and $0; $HOME, $ARGUMENTS_LIST.',
      'x',
      'It costs $5, $x, $100 and $0; $HOME, $ARGUMENTS_LIST.',
    ],
    ['Say $ARGUMENTS.', '$1 $$ $& $ARGUMENTS', 'Say $1 $$ $& $ARGUMENTS.'],
    ['Fix $ARGUMENTS now.', '', 'Fix  now.'],
    ['No place.', 'a b', 'No place.\n\na b'],
    ['Only $$.', 'a b', 'Only $.\n\na b'],
    ['No place.', '', 'No place.'],
  ] as const)('%j with %j becomes %j', ([text, given, expected]) => {
    expect(expand(text, given)).toEqual({ ok: true, text: expected })
  })

  it('a prompt that would be too long is refused before it is put together', () => {
    const text = '$ARGUMENTS'.repeat(6_000)
    const given = 'y'.repeat(1_000_000)
    expect(expand(text, given)).toEqual({ ok: false, why: expect.stringMatching(/longer than 262144/) })
    const most = 'y'.repeat(PROMPT_FILE_LIMITS.promptChars)
    expect(expand('$ARGUMENTS', most)).toEqual({ ok: true, text: most })
  })
})

describe('a line', () => {
  const command = { description: '', argumentHint: '', from: 'user', path: '/a.md' } as const
  const found = {
    usable: [{ ...command, name: 'a:b', text: 'Go to $1.' }],
    unusable: [{ name: 'bad', path: '/bad.md', why: 'it has no text' }],
  }
  it.for([
    ['/a:b home', { is: 'prompt', text: 'Go to home.' }],
    ['/a:b\nhome', { is: 'prompt', text: 'Go to home.' }],
    ['/bad', { is: 'unusable', why: '/bad.md is not a command: it has no text' }],
    ['/a', { is: 'other' }],
    ['/a:b/c', { is: 'other' }],
    ['a:b home', { is: 'other' }],
    [' /a:b', { is: 'other' }],
    ['/', { is: 'other' }],
  ] as const)('%j is read as %j', ([line, expected]) => {
    expect(expandLine(line, found)).toEqual(expected)
  })
})
