import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createOutcomes, proveOnce } from '../../../src/host/confine/remember-proof.ts'
import { makeScratch } from '../../harness/scratch.ts'

/** Proves something with a program and code of its own, and counts how often it was tried. */
function makeProof() {
  const scratch = makeScratch()
  const [program, code] = [scratch.file('program'), scratch.file('code.js')]
  let tries = 0
  const run = async (
    changes: { readonly fact?: string; readonly holds?: boolean; readonly code?: string } = {},
  ) => {
    const before = tries
    const outcome = await proveOnce(
      {
        folder: scratch.at('proofs'),
        kind: 'sandbox',
        programs: [program],
        facts: [changes.fact ?? 'one'],
        prove: () => {
          tries += 1
          return Promise.resolve(changes.holds ?? true)
        },
        success: true,
        isSuccess: (holds) => holds,
      },
      changes.code ?? code,
    )
    return { outcome, isTried: tries > before }
  }
  const remembered = () => readdirSync(scratch.at('proofs')).map((name) => scratch.at('proofs', name))
  return { scratch, program, code, run, remembered }
}

const TRIED = { outcome: true, isTried: true }
const REMEMBERED = { outcome: true, isTried: false }

describe('a proof of the sandbox', () => {
  it('is made once for the same machine, programs and code', async () => {
    const { run } = makeProof()
    expect([await run(), await run(), await run()]).toEqual([TRIED, REMEMBERED, REMEMBERED])
  })

  it('is made again for other facts, and for another file in the place of a program or of our own code', async () => {
    const { run, program, code } = makeProof()
    await run()
    expect(await run({ fact: 'two' })).toEqual(TRIED)
    writeFileSync(program, 'another')
    expect(await run()).toEqual(TRIED)
    writeFileSync(code, 'another')
    expect([await run(), await run()]).toEqual([TRIED, REMEMBERED])
  })

  it('is never remembered if it failed, nor for sources', async () => {
    const { run, scratch } = makeProof()
    const failed = { outcome: false, isTried: true }
    expect([await run({ holds: false }), await run({ holds: false })]).toEqual([failed, failed])
    const sources = scratch.file('code.ts')
    expect([await run({ code: sources }), await run({ code: sources })]).toEqual([TRIED, TRIED])
  })

  it.each([
    ['from yesterday', -25 * 3600],
    ['from the future', 3600],
  ])('does not count %s', async (_, seconds) => {
    const { run, remembered } = makeProof()
    await run()
    const at = Date.now() / 1000 + seconds
    for (const file of remembered()) utimesSync(file, at, at)
    expect(await run()).toEqual(TRIED)
    expect(remembered().length).toBe(1)
  })

  it.each([
    ['a folder', (path: string) => void mkdirSync(path)],
    ['a link', (path: string) => symlinkSync('/etc/hostname', path)],
  ])('%s in its place is none', async (_, plant) => {
    const { run, remembered } = makeProof()
    await run()
    for (const file of remembered()) {
      rmSync(file)
      plant(file)
    }
    expect((await run()).isTried).toBe(true)
  })
})

describe('an outcome', () => {
  /** Outcomes that are not ready in time so many times. */
  function makeOutcomes(late: number) {
    let [tries, now] = [0, 0]
    const outcomes = createOutcomes<string>(
      (outcome) => outcome === 'late',
      () => now,
    )
    const find = () => Promise.resolve(++tries > late ? 'found' : 'late')
    return { ask: () => outcomes('x', find), tries: () => tries, pass: (ms: number) => void (now += ms) }
  }

  it('that was not ready in time is tried once more at once, and after a minute; what was found stays', async () => {
    const { ask, tries, pass } = makeOutcomes(3)
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['late', 'late', 'late'])
    pass(59_999)
    expect([await ask(), tries()]).toEqual(['late', 2])
    pass(1)
    expect([await ask(), tries()]).toEqual(['found', 4])
    pass(1e9)
    expect([await ask(), tries()]).toEqual(['found', 4])
  })

  it('that could not be looked for is not kept', async () => {
    const outcomes = createOutcomes<string>(() => false)
    await expect(outcomes('x', () => Promise.reject(new Error('full')))).rejects.toThrow('full')
    expect(await outcomes('x', () => Promise.resolve('found'))).toBe('found')
  })
})
