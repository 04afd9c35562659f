import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer } from '../../../src/core/approval.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { asked, batchOf, editor, outcomes } from '../sample-tools.ts'

const lines = (count: number, changed: readonly number[] = []): string =>
  Array.from({ length: count }, (_, at) => `${changed.includes(at + 1) ? 'new ' : ''}${at + 1}\n`).join('')

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Changes two places of a.txt, removes b.txt, and makes an empty file. */
const several = editor('several', (_args, { edits }) => {
  edits.write('a.txt', bytes(lines(40, [5, 30])))
  edits.remove('b.txt')
  edits.write('empty.txt', bytes(''))
  return { said: '' }
})

const FILES = { 'a.txt': lines(40), 'b.txt': 'b\n' }

const saying = (answer: unknown) => asked(() => [answer as ApprovalAnswer])

const read = ({ root }: Bench, name: string): string | null => {
  const path = join(root, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

const READ_BOTH = [
  ['read_file', { path: 'a.txt' }],
  ['read_file', { path: 'b.txt' }],
] as const

async function runWith(b: Bench, approve: ReturnType<typeof saying>, options: object = {}) {
  const runtime = await b.open({ approve, tools: [several], ...options })
  const results = await runtime.run(batchOf(...READ_BOTH, ['several']))
  return { runtime, result: results.at(-1) }
}

describe('an edit of which hunks are chosen', () => {
  it('says where its hunks begin, one for a file without lines too', async () => {
    const approve = saying('deny')
    await runWith(bench(FILES), approve)
    const question = approve.questions[0]?.[0]
    const rows = question?.diff?.split('\n') ?? []
    expect(question?.hunks?.lines.map((line) => rows[line])).toEqual([
      '@@ -2,7 +2,7 @@',
      '@@ -27,7 +27,7 @@',
      '@@ -1 +0,0 @@',
      '--- /dev/null',
    ])
  })

  it.each([
    [[1], lines(40, [5]), 'b\n', null],
    [[2, 4], lines(40, [30]), 'b\n', ''],
    [[3], lines(40), null, null],
    [[1, 2, 3, 4], lines(40, [5, 30]), null, ''],
  ])('commits exactly %j, and undo takes just that back', async (hunks, a, gone, empty) => {
    const b = bench(FILES)
    const { runtime, result } = await runWith(b, saying({ answer: 'once', hunks }))
    expect([read(b, 'a.txt'), read(b, 'b.txt'), read(b, 'empty.txt')]).toEqual([a, gone, empty])
    const output = outputOf(result)
    const left = output['left_out'] as readonly { readonly hunks: readonly number[] }[] | undefined
    expect((left ?? []).flatMap((one) => one.hunks)).toEqual(
      [1, 2, 3, 4].filter((one) => !hunks.includes(one)),
    )
    expect(output['partial']).toBe(hunks.length === 4 ? undefined : true)
    await runtime.undo()
    expect([read(b, 'a.txt'), read(b, 'b.txt'), read(b, 'empty.txt')]).toEqual([lines(40), 'b\n', null])
  })

  it.each([
    ['a hunk that the diff does not have', [1, 5], 'there is no hunk 5; its diff has 4 hunks'],
    ['no hunk', [], 'its hunks are not numbers from 1 on'],
    ['hunk 0', [0], 'its hunks are not numbers from 1 on'],
    ['words', 'all', 'its hunks are not numbers from 1 on'],
  ])('is refused as unclear for %s, and nothing is changed', async (_what, hunks, why) => {
    const b = bench(FILES)
    const { result } = await runWith(b, saying({ answer: 'once', hunks }))
    const error = errorOf(result)
    expect(error).toMatchObject({ code: 'approval_denied', details: { reason: 'unclear' } })
    expect(error.message).toContain(why)
    expect([read(b, 'a.txt'), read(b, 'b.txt')]).toEqual([lines(40), 'b\n'])
  })

  it('is taken whole or not at all under the profile strict', async () => {
    const b = bench(FILES)
    const approve = saying({ answer: 'once', hunks: [1] })
    const { result } = await runWith(b, approve, { config: { profile: 'strict' } })
    expect(approve.questions[0]?.[0]?.hunks).toBeUndefined()
    expect(errorOf(result).message).toContain('the profile strict takes a change whole or not at all')
    expect(read(b, 'a.txt')).toBe(lines(40))
  })

  it('asks again if it has changed since the question, and the numbers are of the new diff', async () => {
    const b = bench({ 'a.txt': lines(40) })
    let last = 30
    const moving = editor('moving', (_args, { edits }) => {
      edits.write('a.txt', bytes(lines(40, [5, last])))
      return { said: '' }
    })
    const approve = asked(() => {
      last = 20
      return [{ answer: 'once', hunks: [2] }]
    })
    const runtime = await b.open({ approve, tools: [moving] })
    const results = await runtime.run(batchOf(['read_file', { path: 'a.txt' }], ['moving']))
    expect(outcomes(results)).toEqual(['ok', 'ok'])
    expect(approve.questions).toHaveLength(2)
    expect(read(b, 'a.txt')).toBe(lines(40, [20]))
  })

  it('of a text that is not UTF-8 offers no hunks', async () => {
    const b = bench({ 'a.txt': new Uint8Array([0xe9, 0x0a]) })
    const odd = editor('odd', (_args, { edits }) => {
      edits.write('a.txt', new Uint8Array([0xe8, 0x0a, 0x0a]))
      return { said: '' }
    })
    const approve = saying({ answer: 'once', hunks: [1] })
    const runtime = await b.open({ approve, tools: [odd] })
    const results = await runtime.run(batchOf(['read_file', { path: 'a.txt' }], ['odd']))
    expect(errorOf(results.at(-1)).message).toContain('its diff can only be taken as a whole')
    expect([...readFileSync(join(b.root, 'a.txt'))]).toEqual([0xe9, 0x0a])
  })
})

describe('a move of which hunks are chosen', () => {
  const MOVED = { 'mv/one.txt': '1\n', 'mv/two.txt': '2\n' }
  const move = (b: Bench, hunks: readonly number[]) =>
    b.call('move_path', { from: 'mv', to: 'to' }, { approve: saying({ answer: 'once', hunks }) })

  it.each([1, 2, 3, 4])('is not torn: hunk %i alone is refused', async (hunk) => {
    const b = bench(MOVED)
    expect(errorOf(await move(b, [hunk])).message).toContain('can only be taken together')
    expect([read(b, 'mv/one.txt'), read(b, 'to/one.txt')]).toEqual(['1\n', null])
  })

  it('moves a file with both of its names, and the result lists only that', async () => {
    const b = bench(MOVED)
    const approve = saying('deny')
    await b.call('move_path', { from: 'mv', to: 'to' }, { approve })
    const [pair] = approve.questions[0]?.[0]?.hunks?.together ?? []
    const result = await move(b, pair ?? [])
    const stays = ['one.txt', 'two.txt'].filter((name) => read(b, `mv/${name}`) !== null)
    const moved = ['one.txt', 'two.txt'].filter((name) => read(b, `to/${name}`) !== null)
    expect([...stays, ...moved].toSorted()).toEqual(['one.txt', 'two.txt'])
    expect(moved).toHaveLength(1)
    expect(outputOf(result)).toMatchObject({ partial: true, files: moved.map((name) => `to/${name}`) })
  })
})

describe('a landing of which hunks are chosen in this process', () => {
  const run = (line: string) => batchOf(['run_shell', { cmd: ['sh', '-c', line] }])
  const EDIT = "sed -i -e 's/^5$/new 5/' -e 's/^30$/new 30/' a.txt; rm b.txt; echo said"

  it('commits exactly these, and the model is told', async () => {
    const b = bench(FILES)
    const runtime = await b.open({ approve: saying({ answer: 'once', hunks: [2] }) })
    const [result] = await runtime.run(run(EDIT))
    expect(outputOf(result)).toMatchObject({
      stdout: 'said\n',
      partial: true,
      changes: [{ path: 'a.txt', change: 'modified' }],
      left_out: [
        { path: 'a.txt', hunks: [1] },
        { path: 'b.txt', hunks: [3] },
      ],
    })
    expect(result?.content).toContain('took only part of this change; left out in: a.txt, b.txt')
    expect([read(b, 'a.txt'), read(b, 'b.txt')]).toEqual([lines(40, [30]), 'b\n'])
  })

  it('is refused as unclear for a hunk that the diff does not have, and everything is discarded', async () => {
    const b = bench(FILES)
    const runtime = await b.open({ approve: saying({ answer: 'once', hunks: [4] }) })
    const [result] = await runtime.run(run(EDIT))
    expect(errorOf(result)).toMatchObject({ details: { reason: 'unclear', discarded: true } })
    expect([read(b, 'a.txt'), read(b, 'b.txt')]).toEqual([lines(40), 'b\n'])
  })

  it('lands nothing if somebody changed the file meanwhile', async () => {
    const b = bench(FILES)
    const approve = asked(() => {
      writeFileSync(join(b.root, 'a.txt'), lines(41))
      return [{ answer: 'once', hunks: [2] }]
    })
    const runtime = await b.open({ approve })
    const [result] = await runtime.run(run(EDIT))
    expect(errorOf(result).code).toBe('stale_file')
    expect([read(b, 'a.txt'), read(b, 'b.txt')]).toEqual([lines(41), 'b\n'])
  })
})
