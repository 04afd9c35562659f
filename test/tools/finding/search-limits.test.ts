import { closeSync, openSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import type { LiveEvent } from '../../../src/pipeline/engine.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { mkfifoSync } from '../../host/root/make-odd-files.ts'
import { matchesOf, placesOf } from './found.ts'

const LINES = `${'hit\n'.repeat(250)}`

/** How many processes run in a folder. */
function countProgramsIn(folder: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => cwdOf(pid) === folder).length
}

function cwdOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}

function counted(result: ToolResult): readonly [number, unknown] {
  return [matchesOf(result).length, outputOf(result)['truncated']]
}

describe.each(['auto', 'built_in'])('limits of search (engine %s)', (engine) => {
  const search = (
    b: Bench,
    args: Readonly<Record<string, unknown>>,
    config: Readonly<Record<string, unknown>> = {},
  ): Promise<ToolResult> => b.call('search', args, { config: { 'tools.search.engine': engine, ...config } })

  it('F-TEST-search-capped, F-TOOL-search: returns 200 matches and says that there are more', async () => {
    const b = bench({ a: LINES, b: LINES })
    expect(counted(await search(b, { query: 'hit' }))).toEqual([200, true])
    expect(counted(await search(b, { query: 'hit', max_results: 7 }))).toEqual([7, true])
    expect(counted(await search(b, { query: 'hit', max_results: 500 }))).toEqual([500, false])
    expect(counted(await search(b, { query: 'hit', max_results: 499 }))).toEqual([499, true])
    expect(counted(await search(b, { query: 'hit' }, { 'tools.search.max_results': 3 }))).toEqual([3, true])
  })

  it('F-TOOL-search: exactly as many matches as fit are not called cut', async () => {
    const b = bench({ a: 'hit hit\nhit' })
    expect(counted(await search(b, { query: 'hit', max_results: 3 }))).toEqual([3, false])
    expect(counted(await search(b, { query: 'hit', max_results: 2 }))).toEqual([2, true])
  })

  it('F-TOOL-search: one file does not take all the room', async () => {
    const b = bench({ a: LINES, b: 'hit hit hit hit hit hit', c: 'hit' })
    const result = await search(b, { query: 'hit' }, { 'tools.search.max_results_per_file': 5 })
    const paths = matchesOf(result).map(({ path }) => path)
    expect(paths.join('')).toBe('aaaaabbbbbc')
    expect(outputOf(result)['truncated']).toBe(true)
  })

  it('F-TOOL-search: cuts a long line around the match', async () => {
    const b = bench({ f: `${'ä'.repeat(3_000)}NEEDLE${'b'.repeat(3_000)}\nNEEDLE` })
    const [long, short] = matchesOf(await search(b, { query: 'needle' }))
    expect(long).toMatchObject({ column: 3_001, match_text: 'NEEDLE', cut: true })
    expect(long?.before).toBe('ä'.repeat(250))
    expect(long?.after).toBe('b'.repeat(250))
    expect(short).not.toHaveProperty('cut')
    const result = await search(b, { query: 'ä+', is_regex: true }, { 'tools.search.max_line_chars': 40 })
    expect(matchesOf(result)).toMatchObject([
      { match_text: 'ä'.repeat(40), before: '', after: `NEEDLE${'b'.repeat(14)}`, cut: true },
    ])
  })

  it('F-TOOL-search: counts on through a line with many matches', async () => {
    const b = bench({ f: '😀x'.repeat(20_000) })
    const rows = matchesOf(
      await search(b, { query: 'x', max_results: 1_000 }, { 'tools.output.max_bytes': 10_000_000 }),
    )
    expect(rows).toHaveLength(1_000)
    expect(rows.map(({ column }) => column)).toEqual(rows.map((_, at) => 2 * at + 2))
  })

  it('F-TOOL-search: fits the answer and says so', async () => {
    const b = bench({ f: `${'some hit here\n'.repeat(100)}` })
    const result = await search(b, { query: 'hit' }, { 'tools.output.max_bytes': 1_000 })
    expect(outputOf(result)['truncated']).toBe(true)
    expect(Buffer.byteLength(result.content)).toBeLessThanOrEqual(1_000)
    expect(matchesOf(result).length).toBeGreaterThan(5)
    expect(errorOf(await search(b, { query: 'hit' }, { 'tools.output.max_bytes': 10 })).code).toBe(
      'execution_failed',
    )
  })

  it('F-TOOL-search: pipes and folders are nothing to search, also by name', async () => {
    const b = bench({ 'd/f': 'needle' })
    mkfifoSync(join(b.root, 'pipe'))
    expect(placesOf(await search(b, { query: 'needle' }))).toEqual(['d/f:1:1'])
    expect(placesOf(await search(b, { query: 'needle', include_paths: ['pipe'] }))).toEqual([])
  })
})

/** A pattern that keeps the search program busy for many seconds, on text that it never matches. */
const SLOW = { query: '(a|b)[a-z]{60,120}(x|y)[a-z]{60,120}[0-9]', is_regex: true }

function slowFiles(): Readonly<Record<string, string>> {
  let seed = 1
  const letter = (): string => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return 'abxyz'[Math.floor((seed / 0x80000000) * 5)] ?? 'a'
  }
  const line = Array.from({ length: 1_000_000 }, letter)
    .join('')
    .match(/.{1,1000}/g)
  const text = `${(line ?? []).join('\n')}\n`.repeat(6)
  return Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at}`, text]))
}

describe('search with the search program', () => {
  it.for([
    ['(a', 'unclosed group', 1],
    ['ab(c(d)', 'unclosed group', 3],
    ['a{2,1}', 'invalid repetition count range', 2],
    ['x[z-a]', 'invalid character class range', 3],
    ['a(?=b)', 'look-ahead', 2],
    ['a\\nb', 'end of a line', 2],
    ['a\\p{Nope}', 'Unicode property not found', 2],
  ] as const)('F-TOOL-search: %s is refused with the place', async ([query, why, position]) => {
    const error = errorOf(await bench({ f: 'a' }).call('search', { query, is_regex: true }))
    expect([error.code, error.type, error.details['position']]).toEqual([
      'bad_args',
      'validation-error',
      position,
    ])
    expect(error.message).toContain(why)
    expect(error.message).toContain(`at character ${position}`)
  })

  it('F-TOOL-search: a pattern that would take for ever elsewhere is answered', async () => {
    const b = bench({ f: `${'a'.repeat(5_000)}!\naaa` })
    const result = await b.call('search', { query: '^(a+)+$', is_regex: true })
    expect(placesOf(result)).toEqual(['f:2:1'])
    const error = errorOf(await b.call('search', { query: 'a{999}{999}{999}', is_regex: true }))
    expect([error.code, error.message]).toEqual(['bad_args', expect.stringContaining('too large')])
  })

  it('F-TOOL-search: a huge file is passed over while it is being read, and the rest is found once', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`d/${at}`, 'needle\n'.repeat(3)]),
    )
    const b = bench(files)
    // One line without an end: the program would hold all of it in memory.
    const huge = join(b.root, 'huge')
    for (let at = 0; at < 20; at++) writeFileSync(huge, Buffer.alloc(10 * 2 ** 20, 'x'), { flag: 'a' })
    const runtime = await b.open({ config: { 'tools.output.max_bytes': 10_000_000 } })
    for (const round of [1, 2]) {
      const [result] = await runtime.run([
        { id: `c${round}`, name: 'search', args: { query: 'needle', max_results: 2_000 } },
      ])
      expect(new Set(placesOf(result)).size).toBe(900)
      expect(placesOf(result)).toHaveLength(900)
    }
  })

  it('F-TOOL-search: a pipe in the place of an ignore file stalls nothing, and every match is there once', async () => {
    for (const name of ['.gitignore', 'd3/.ignore', 'd5/.gitignore']) {
      const files = Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [`d${at % 8}/f${at}`, 'needle needle\nneedle\n']),
      )
      const b = bench(files)
      mkfifoSync(join(b.root, name))
      const started = performance.now()
      const places = placesOf(await b.call('search', { query: 'needle' }))
      expect([name, places.length, new Set(places).size]).toEqual([name, 120, 120])
      expect(performance.now() - started).toBeLessThan(15_000)
    }
  })

  it('F-TOOL-search: nor does one that somebody holds open and never writes to', async () => {
    const b = bench({ f: 'needle' })
    mkfifoSync(join(b.root, '.ignore'))
    const holder = openSync(join(b.root, '.ignore'), 'r+')
    onTestFinished(() => closeSync(holder))
    expect(placesOf(await b.call('search', { query: 'needle' }))).toEqual(['f:1:1'])
  })

  it('F-TOOL-search: cancelling ends it, and nothing goes on behind', async () => {
    const b = bench(slowFiles())
    const stop = new AbortController()
    const events: LiveEvent[] = []
    let running = 0
    const ended = b.call(
      'search',
      SLOW,
      {},
      {
        signal: stop.signal,
        onEvent: (event) => {
          events.push(event)
          if (event.event !== 'output') return
          running = countProgramsIn(b.root)
          stop.abort()
        },
      },
    )
    expect(errorOf(await ended).code).toBe('cancelled')
    expect(running).toBe(1)
    await expect.poll(() => countProgramsIn(b.root)).toBe(0)
    expect(events.filter(({ event }) => event === 'output')).toMatchObject([
      { stream: 'stderr', chunk: 'Still searching; 0 matches in 0 files so far.\n' },
    ])
  })

  it('F-TOOL-search: a search that takes too long is stopped', async () => {
    const b = bench(slowFiles())
    const config = { 'tools.timeouts.file_operations_seconds': 0.2, 'tools.retry.max': 0 }
    expect(errorOf(await b.call('search', SLOW, { config })).code).toBe('timeout')
  })
})

describe('search without the search program', () => {
  it('F-TOOL-search: says that there may be more if it did not look at all files', async () => {
    const b = bench(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, 'hit'])))
    const config = { 'tools.search.engine': 'built_in', 'tools.walk.max_entries': 4 }
    expect(counted(await b.call('search', { query: 'hit' }, { config }))).toEqual([4, true])
  })

  it('F-TOOL-search: a pattern that never ends is stopped without holding anything up', async () => {
    const b = bench({ f: `${'a'.repeat(40)}!` })
    const config = { 'tools.search.engine': 'built_in', 'tools.timeouts.file_operations_seconds': 0.3 }
    const [slow, quick] = await Promise.all([
      b.call('search', { query: '^(a+)+$', is_regex: true }, { config }),
      b.call('glob', { patterns: ['*'] }),
    ])
    expect(errorOf(slow).code).toBe('timeout')
    expect(quick.execution.duration_ms).toBeLessThan(slow.execution.duration_ms)
  })
})
