import { describe, expect, it } from 'vitest'
import { allWordsOf, runningWords, runningWordsOf } from '../../../src/core/command/named-words.ts'

describe('the words of a command that say what runs', () => {
  it.each([
    ['sh -c "env A=1 timeout 5 ./deploy now" >out', ['sh', 'env', 'timeout', './deploy', 'out']],
    ['eval "python3 a.py"', ['eval', 'python3', 'a.py']],
  ])('of %s are its programs, its script and what it writes', (line, words) => {
    expect(runningWordsOf(line)).toEqual(words)
  })

  it.each(['eval ', 'env ', 'nohup '])(
    'are found soon in any number of commands in commands, and none is left out (%s)',
    (outer) => {
      const line = `${outer.repeat(8_000)}./deploy`
      expect(runningWordsOf(line)).toContain('./deploy')
      expect(runningWords(['sh', '-c', line])).toContain('./deploy')
      expect(allWordsOf(line)).toContain('./deploy')
    },
  )
})
