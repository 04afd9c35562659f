import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { benchAskingBefore, errorOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { chooserFrom, HARDENING_SEED, shuffled, someOf, triesOf } from '../../harness/long-run.ts'
import { batchOf, outcomes } from '../sample-tools.ts'
import {
  answerAtHand,
  answerLater,
  benchWithTests,
  expectNothingDone,
  VITEST_TESTS,
} from './answer-both-ways.ts'
import type { Swap } from './answer-both-ways.ts'

const ROUNDS = triesOf(1, 40)
const TIMEOUT_MS = 300_000 + 60_000 * ROUNDS
const path = process.env['PATH']
afterEach(() => {
  process.env['PATH'] = path
})

/** A script on PATH, in a folder of its own. */
function putProgram(b: Bench, folder: string, text: string): void {
  mkdirSync(join(b.top, folder), { recursive: true })
  writeFileSync(join(b.top, folder, 'greet'), `#!/bin/sh\n${text}\n`)
  chmodSync(join(b.top, folder, 'greet'), 0o755)
}

/** Puts folders of a bench before the rest of PATH. */
function usePath(b: Bench, ...folders: readonly string[]): void {
  process.env['PATH'] = [...folders.map((folder) => join(b.top, folder)), path].join(':')
}

/** Every way in which what would happen is swapped behind a question. */
const SWAPS: Readonly<Record<string, () => Swap>> = {
  'the tests of another runner'() {
    const b = benchWithTests()
    return {
      b,
      calls: batchOf(['run_tests', {}]),
      change: () => b.put('package.json', VITEST_TESTS),
    }
  },
  'a file that became a link'() {
    const b = benchAskingBefore({ 'G/keep': '', 'H/keep': '' })
    return {
      b,
      calls: batchOf(['write_file', { path: 'G/a', content: 'new\n' }]),
      change: () => symlinkSync('../H/a', join(b.root, 'G/a')),
    }
  },
  'a folder that became a link'() {
    const b = benchAskingBefore({ 'G/keep': '', 'H/keep': '' })
    return {
      b,
      calls: batchOf(['write_file', { path: 'G/a', content: 'new\n' }]),
      change: () => {
        renameSync(join(b.root, 'G'), join(b.root, 'old'))
        symlinkSync('H', join(b.root, 'G'))
      },
    }
  },
  'a granted path that became a link'() {
    const b = benchAskingBefore()
    mkdirSync(join(b.top, 'asked'))
    mkdirSync(join(b.top, 'other'))
    return {
      b,
      calls: batchOf(['run_shell', { cmd: ['touch', 'ran'], read: [join(b.top, 'asked')] }]),
      change: () => {
        rmSync(join(b.top, 'asked'), { recursive: true })
        symlinkSync('other', join(b.top, 'asked'))
      },
    }
  },
  'a granted path below a folder that became a link'() {
    const b = benchAskingBefore()
    mkdirSync(join(b.top, 'asked/data'), { recursive: true })
    mkdirSync(join(b.top, 'other/data'), { recursive: true })
    return {
      b,
      calls: batchOf(['run_shell', { cmd: ['touch', 'ran'], write: [join(b.top, 'asked/data')] }]),
      change: () => {
        rmSync(join(b.top, 'asked'), { recursive: true })
        symlinkSync('other', join(b.top, 'asked'))
      },
    }
  },
  'another program of the same name, earlier on PATH'() {
    const b = benchAskingBefore()
    mkdirSync(join(b.top, 'early'))
    putProgram(b, 'late', 'touch ran')
    usePath(b, 'early', 'late')
    return {
      b,
      calls: batchOf(['run_shell', { cmd: ['greet'] }]),
      change: () => putProgram(b, 'early', 'touch ran'),
    }
  },
  'another program in the place of one that the workspace has too'() {
    const b = benchAskingBefore({ 'bin/greet': '#!/bin/sh\ntrue\n' })
    chmodSync(join(b.root, 'bin/greet'), 0o755)
    putProgram(b, 'late', 'true')
    // Folders of the workspace come last, wherever PATH has them.
    process.env['PATH'] = [join(b.root, 'bin'), join(b.top, 'late'), path].join(':')
    return {
      b,
      calls: batchOf(['run_shell', { cmd: ['greet'] }]),
      change: () => putProgram(b, 'late', 'touch ran'),
    }
  },
  'another program behind hundreds that a line names first'() {
    const b = benchAskingBefore()
    putProgram(b, 'bin', 'true')
    usePath(b, 'bin')
    const command = [...Array.from({ length: 300 }, (_, at) => `no-such-${at}`), 'greet'].join('; ')
    return {
      b,
      calls: batchOf(['run_command', { command }]),
      change: () => putProgram(b, 'bin', 'touch ran'),
      options: { config: { 'tools.run_command.enabled': true } },
    }
  },
  'a granted file that became a folder'() {
    const b = benchAskingBefore()
    writeFileSync(join(b.top, 'asked'), '')
    return {
      b,
      calls: batchOf(['run_shell', { cmd: ['touch', 'ran'], write: [join(b.top, 'asked')] }]),
      change: () => {
        rmSync(join(b.top, 'asked'))
        mkdirSync(join(b.top, 'asked'))
      },
    }
  },
  'another program in the same place'() {
    const b = benchAskingBefore()
    putProgram(b, 'bin', 'true')
    usePath(b, 'bin')
    return {
      b,
      calls: batchOf(['run_shell', { cmd: ['greet'] }]),
      change: () => putProgram(b, 'bin', 'touch ran'),
    }
  },
  'another program behind a word of a command line'() {
    const b = benchAskingBefore()
    putProgram(b, 'bin', 'true')
    usePath(b, 'bin')
    return {
      b,
      calls: batchOf(['run_command', { command: 'true && greet' }]),
      change: () => putProgram(b, 'bin', 'touch ran'),
      options: { config: { 'tools.run_command.enabled': true } },
    }
  },
  'a script of the workspace that became a link'() {
    const b = benchAskingBefore({ greet: '#!/bin/sh\ntrue\n', other: '#!/bin/sh\ntouch ran\n' })
    chmodSync(join(b.root, 'greet'), 0o755)
    chmodSync(join(b.root, 'other'), 0o755)
    return {
      b,
      calls: batchOf(['run_shell', { cmd: ['./greet'] }]),
      change: () => {
        rmSync(join(b.root, 'greet'))
        symlinkSync('other', join(b.root, 'greet'))
      },
    }
  },
  'a working folder that became a link'() {
    const b = benchAskingBefore({ 'one/keep': '', 'two/keep': '' })
    return {
      b,
      calls: batchOf(['run_shell', { cmd: ['touch', '../ran'], cwd: 'one' }]),
      change: () => {
        rmSync(join(b.root, 'one'), { recursive: true })
        symlinkSync('two', join(b.root, 'one'))
      },
    }
  },
}

describe('a yes is to everything that the question showed', () => {
  it.each(someOf(Object.keys(SWAPS), 4))(
    'and %s is another question, which a person at hand is asked',
    async (name) => {
      const swap = SWAPS[name]?.()
      if (swap === undefined) throw new Error(name)
      const { results, questions } = await answerAtHand(swap)
      expect(outcomes(results)).toEqual(['approval_denied'])
      expect(errorOf(results[0]).details['reason']).toBe('denied')
      expect(questions).toHaveLength(2)
      expectNothingDone(swap.b)
    },
  )

  it.each(someOf(Object.keys(SWAPS), 4))(
    'and %s is refused if the yes came from another process',
    async (name) => {
      const swap = SWAPS[name]?.()
      if (swap === undefined) throw new Error(name)
      const { results, questions } = await answerLater(swap)
      expect(errorOf(results[0])).toMatchObject({
        code: 'approval_denied',
        details: { reason: 'preview_changed' },
      })
      expect(questions).toHaveLength(1)
      expectNothingDone(swap.b)
    },
  )

  it('and stays so in any order, with other changes beside it', { timeout: TIMEOUT_MS }, async () => {
    const choose = chooserFrom(HARDENING_SEED)
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of shuffled(Object.keys(SWAPS), choose)) {
        const swap = SWAPS[name]?.()
        if (swap === undefined) throw new Error(name)
        const noise = `noise-${choose(1e9)}`
        const isBefore = choose(2) === 0
        const change = (): void => {
          if (isBefore) swap.b.put(noise, noise)
          swap.change()
          if (!isBefore) swap.b.put(noise, noise)
        }
        const { results } = await (choose(2) === 0 ? answerAtHand : answerLater)({ ...swap, change })
        expect({ name, seed: HARDENING_SEED, outcomes: outcomes(results) }).toEqual({
          name,
          seed: HARDENING_SEED,
          outcomes: ['approval_denied'],
        })
        process.env['PATH'] = path
      }
    }
  })

  it.each(someOf(Object.keys(SWAPS), 4))(
    'while without %s it is what runs, asked about once',
    async (name) => {
      for (const answer of [answerAtHand, answerLater]) {
        const swap = SWAPS[name]?.()
        if (swap === undefined) throw new Error(name)
        const { results, questions } = await answer({ ...swap, change: () => undefined })
        // The tests of an empty project may fail in their own way; they are not refused.
        if (name !== 'the tests of another runner') expect(outcomes(results)).toEqual(['ok'])
        else expect(outcomes(results)).not.toContain('approval_denied')
        expect(questions).toHaveLength(1)
      }
    },
  )
})
