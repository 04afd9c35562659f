import { describe, expect, it } from 'vitest'
import { chooseOfEach } from '../../../src/core/text/choose-of-each.ts'

const kindOf = (item: string): string => item.charAt(0)
const gone = Array.from({ length: 80 }, (_, at) => `-${at}`)

describe('of a long list', () => {
  it.each([
    ['all are named if there is room', ['-1', '~1'], 2, ['-1', '~1']],
    [
      'the one that was modified is named among many that were deleted',
      [...gone, '~a'],
      3,
      ['-0', '-1', '~a'],
    ],
    ['each kind gets its part', ['+1', '+2', '+3', '-1', '-2', '-3'], 4, ['+1', '+2', '-1', '-2']],
    ['the first ones are named if there is one kind', gone, 2, ['-0', '-1']],
    ['no more are named than there is room for', ['+1', '-1', '~1'], 2, ['+1', '-1']],
  ])('%s', (_what, items, most, named) => {
    expect(chooseOfEach(items, most, kindOf)).toEqual(named)
  })
})
