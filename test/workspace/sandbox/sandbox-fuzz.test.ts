import { lstatSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { array, assert, constantFrom, oneof, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { ToolFailure } from '../../../src/core/error.ts'
import { relativeTo } from '../../../src/host/root/rel-path.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { makeSandbox } from './make-sandbox.ts'
import { roundsOf } from '../../harness/long-run.ts'

const RUNS = process.env['TONGS_LONG'] === '1' ? 1_000_000 : roundsOf(2_000, 20_000)
const CODES = ['path_outside_sandbox', 'denied_pattern', 'bad_args', 'execution_failed']

const looked = new Map<string, string | null>()

/** Where links on a path lead it, as far as it exists; null where there are none. */
function linksAt(path: string): string | null {
  const known = looked.get(path)
  if (known !== undefined) return known
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  const real = isThere ? realpathSync.native(path) : null
  const found = isThere ? (real === path ? null : real) : linksAt(dirname(path))
  looked.set(path, found)
  return found
}

it('F-SBX-ROOT: every path argument leads inside the project root or is refused with a clear code', () => {
  const scratch = makeScratch()
  scratch.file('root/a/b/f.txt')
  scratch.file('root/.git/HEAD')
  scratch.file('root-evil/f.txt')
  scratch.link('root/in', 'a/b')
  scratch.link('root/up', '..')
  scratch.link('root/out', '../root-evil')
  scratch.link('root/a/loop', 'loop')
  scratch.link('root/a/top', scratch.at('root'))
  scratch.link('root/a/far', '/')
  scratch.link('root/dangling', 'a/none/new.txt')
  scratch.link('alias', 'root')
  const sandbox = makeSandbox(scratch, { allowAbsolute: true })

  const part = oneof(
    {
      weight: 6,
      arbitrary: constantFrom('a', 'b', 'f.txt', 'in', 'up', 'out', 'top', 'far', 'loop', 'dangling', 'none'),
    },
    {
      weight: 3,
      arbitrary: constantFrom(
        '..',
        '.',
        '',
        '.git',
        'HEAD',
        'root',
        'root-evil',
        'alias',
        'con',
        'x:y',
        '.env',
      ),
    },
    { weight: 1, arbitrary: string({ unit: 'binary', maxLength: 4 }) },
  )
  const start = constantFrom(
    '',
    '',
    '',
    '/',
    `${scratch.path}/`,
    `${scratch.at('root')}/`,
    `${scratch.at('alias')}/`,
    '//',
    'C:\\',
  )
  const intent = constantFrom('read', 'write', 'list')
  let inside = 0
  assert(
    property(start, array(part, { minLength: 1, maxLength: 7 }), intent, (beginning, parts, wanted) => {
      try {
        const where = sandbox.locate(beginning + parts.join('/'), wanted)
        inside++
        const below = relativeTo(scratch.at('root'), where.absolute)
        expect(below).toBe(where.rel)
        expect(where.rel.split('/').some((name) => name === '..' || name === '.')).toBe(false)
        // The system has the last word: nothing on the way is a link by now.
        expect(linksAt(where.absolute)).toBeNull()
        // What it gives is canonical already.
        const again = where.root.resolve(where.rel)
        expect(again).toMatchObject({ isInside: true, rel: where.rel, links: 0 })
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error
        expect(CODES).toContain(error.error.code)
        expect(error.error.message).not.toMatch(/[\0-\x1f]/)
      }
    }),
    { numRuns: RUNS },
  )
  expect(inside).toBeGreaterThan(RUNS / 20)
})
