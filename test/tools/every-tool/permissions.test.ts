import { beforeAll, describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { errorOf, outputOf } from '../../bench-folder.ts'
import { entriesOf, pathsOf } from '../list-directory/listing.ts'
import { runOrdinaryCalls } from './run-ordinary-calls.ts'

const FILES = { 'a/x': '', 'b/unseen': '', 'c/y': '', 'mine.txt': 'secret', 'n/one.txt': '', 'n/two.txt': '' }

/** Neither what is in it nor, for a folder, which names there are. */
const CLOSED = 0o000
/** The names in a folder can be read, and nothing behind them. */
const NAMES_ONLY = 0o444
const MODES = { b: CLOSED, 'mine.txt': CLOSED, n: NAMES_ONLY }

const ALL = { path: '.', recursive: true }
const CALLS = {
  mine: ['read_file', { path: 'mine.txt' }],
  closed: ['list_directory', { path: 'b' }],
  all: ['list_directory', ALL],
  three: ['list_directory', { ...ALL, max_entries: 3 }],
  eight: ['list_directory', { ...ALL, max_entries: 8 }],
  filesOnly: ['list_directory', { ...ALL, include_dirs: false }],
  flat: ['list_directory', { path: '.' }],
  names: ['list_directory', { path: 'n' }],
} as const

let results: ReadonlyMap<string, ToolResult>

beforeAll(() => {
  results = runOrdinaryCalls({ files: FILES, modes: MODES, calls: CALLS })
})

function resultOf(id: keyof typeof CALLS): ToolResult | undefined {
  return results.get(id)
}

describe('what may not be read', () => {
  it('a file is an error that says permission denied', () => {
    const error = errorOf(resultOf('mine'))
    expect(error).toMatchObject({ code: 'execution_failed', type: 'file-error', state: 'ROLLED_BACK' })
    expect(error.message).toMatch(/mine\.txt: permission denied/)
    expect(JSON.stringify(error)).not.toContain('secret')
  })

  it('the folder that was asked for is a failure, not an empty list', () => {
    const error = errorOf(resultOf('closed'))
    expect(error).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK' })
    expect(error.message).toMatch(/permission denied/)
  })

  it('T-LD-12: a folder that cannot be read is one entry, unknown, with the reason', () => {
    const bad = entriesOf(resultOf('all')).filter(({ path }) => path.startsWith('b'))
    expect(bad).toEqual([
      {
        name: 'b',
        path: 'b',
        depth: 1,
        type: 'unknown',
        size_bytes: null,
        modified_epoch_ms: null,
        is_hidden: false,
        error_code: 'read_dir_failed',
        error: expect.stringMatching(/permission denied/) as string,
      },
    ])
  })

  it('FR-LD-LST-08: the walk goes on behind it', () => {
    const result = resultOf('all')
    expect(pathsOf(result)).toEqual(['a', 'a/x', 'b', 'c', 'c/y', 'mine.txt', 'n', 'n/one.txt', 'n/two.txt'])
    expect(outputOf(result)).toMatchObject({ truncated: false, truncated_reason: null, returned: 9 })
  })

  it('an unreadable folder takes one place in the count', () => {
    const three = resultOf('three')
    expect([pathsOf(three), outputOf(three)['truncated']]).toEqual([['a', 'a/x', 'b'], true])
    expect(entriesOf(three)[2]?.type).toBe('unknown')
    expect(outputOf(resultOf('eight'))).toMatchObject({ returned: 8, truncated: true })
  })

  it('it stands there also where folders are left out, and is a folder where nobody goes in', () => {
    const kinds = entriesOf(resultOf('filesOnly')).map(({ path, type }) => [path, type])
    expect(kinds).toContainEqual(['b', 'unknown'])
    expect(kinds.map(([path]) => path)).toEqual(['a/x', 'b', 'c/y', 'mine.txt', 'n/one.txt', 'n/two.txt'])
    expect(entriesOf(resultOf('flat'))[1]).toMatchObject({ path: 'b', type: 'dir', error_code: null })
  })

  it('T-LD-10, FR-LD-LST-04: an entry that cannot be looked at is listed as unknown, with the reason', () => {
    const result = resultOf('names')
    expect(pathsOf(result)).toEqual(['one.txt', 'two.txt'])
    for (const entry of entriesOf(result)) {
      expect(entry).toMatchObject({ type: 'unknown', size_bytes: null, modified_epoch_ms: null })
      expect(entry).toMatchObject({ error_code: 'permission_denied' })
      expect(entry.error).toMatch(/permission denied/)
    }
  })

  it('FR-LD-ERR-04: such entries do not fail the call, and the others are told as ever', () => {
    const result = resultOf('all')
    expect(result?.execution.state).toBe('COMPLETED')
    expect(entriesOf(result).map(({ path, type }) => [path, type])).toEqual([
      ['a', 'dir'],
      ['a/x', 'file'],
      ['b', 'unknown'],
      ['c', 'dir'],
      ['c/y', 'file'],
      ['mine.txt', 'file'],
      ['n', 'dir'],
      ['n/one.txt', 'unknown'],
      ['n/two.txt', 'unknown'],
    ])
  })

  it('LD/error-codes: only unknown entries carry a code, and it is one of five', () => {
    const allowed = new Set([
      'metadata_unavailable',
      'permission_denied',
      'read_dir_failed',
      'io_error',
      'unknown',
    ])
    const entries = entriesOf(resultOf('all'))
    for (const { type, error_code, error } of entries) {
      if (type === 'unknown') expect([allowed.has(error_code ?? ''), typeof error]).toEqual([true, 'string'])
      else expect([error_code, error]).toEqual([null, null])
    }
    expect(entries.filter(({ error_code }) => error_code !== null)).toHaveLength(3)
  })
})
