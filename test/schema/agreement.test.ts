import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileSchema } from '../../src/schema/compile-schema.ts'
import { compareWithAjv } from './agreement.ts'
import { HARDENING_SEED, roundsOf } from '../harness/long-run.ts'

/** Less than a random run compares. */
const VALUES = roundsOf(3_000, 18_000)
const SOURCES = join(import.meta.dirname, '../../src')

describe('side by side with Ajv', () => {
  it(`SRD/D-02: ${VALUES} random values under random schemas get the same verdict`, () => {
    const { disagreement, compared, fitting } = compareWithAjv(
      compileSchema,
      roundsOf(400, 1800),
      HARDENING_SEED,
    )
    expect(disagreement).toBeNull()
    expect(compared).toBeGreaterThan(VALUES)
    expect(Math.min(fitting, compared - fitting)).toBeGreaterThan(VALUES / 4)
  })
})

describe('the comparison finds a planted bug', () => {
  let top = ''
  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), 'tongs-planted-'))
    writeFileSync(join(top, 'package.json'), '{"type":"module"}')
  })
  afterAll(() => rmSync(top, { recursive: true, force: true }))

  it('and none in a copy without one', async () => {
    expect(compareWithAjv(await compileWith('nothing', 'check.ts', '', ''), 100, 1).disagreement).toBeNull()
  })

  it.for([
    ['characters counted in UTF-16 units', 'keywords/string-keywords.ts', '> 0xffff', '> 0x10ffff'],
    ['an exclusive bound that is not', 'keywords/value-keywords.ts', 'value > limit', 'value >= limit'],
    ['forms that are not counted', 'keywords/logic-keywords.ts', 'count += 1', 'count = 1'],
    [
      'properties looked at and not noted',
      'keywords/properties-keyword.ts',
      'seen.names.add(name)',
      'seen.names.has(name)',
    ],
    ['inherited properties', 'keywords/object-keywords.ts', 'Object.hasOwn(value, name)', 'name in value'],
    ['equality that forgets a key', 'equal.ts', 'keys.length === Object.keys(other).length', 'true'],
  ] as const)('%s', async ([name, file, right, wrong]) => {
    const compile = await compileWith(name, file, right, wrong)
    expect(compareWithAjv(compile, 2000, 1).disagreement).toMatch(/ours (?:true|false), theirs/)
  })

  async function compileWith(
    name: string,
    file: string,
    right: string,
    wrong: string,
  ): Promise<typeof compileSchema> {
    const copy = join(top, name.replaceAll(/\W/g, '-'))
    for (const room of ['core', 'schema']) cpSync(join(SOURCES, room), join(copy, room), { recursive: true })
    const path = join(copy, 'schema', file)
    const text = readFileSync(path, 'utf8')
    expect(text).toContain(right)
    writeFileSync(path, text.replace(right, wrong))
    const module: { compileSchema: typeof compileSchema } = await import(
      pathToFileURL(join(copy, 'schema/compile-schema.ts')).href
    )
    return module.compileSchema
  }
})
