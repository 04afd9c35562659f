import * as fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { bench, errorOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { unwatched, watchSteps } from '../../harness/faults/world/steps.ts'
import { batchOf, editor } from '../../pipeline/sample-tools.ts'
import { AUTO, bytes } from '../../pipeline/execute/staging-tools.ts'

const THEIRS = 'saved by someone else'
const NEWER = 'saved by someone else, once more'
const OLD_MS = new Date('2020-01-01')

const changesAll = editor('changes_all', (_args, { edits }) => {
  edits.write('a.txt', bytes('new a'))
  edits.write('new.txt', bytes('new'))
  edits.remove('gone.txt')
  return { said: '' }
})

type Save = (path: string, text: string) => void

/** The ways in which programs save a file. */
const SAVES: Readonly<Record<string, Save>> = {
  'puts another file in its place': (path, text) => {
    fs.writeFileSync(`${path}.swp`, text)
    fs.renameSync(`${path}.swp`, path)
  },
  'writes into it': (path, text) => fs.writeFileSync(path, text),
  'puts a file of the same size and age in its place': (path, text) => {
    fs.writeFileSync(`${path}.swp`, text)
    fs.utimesSync(`${path}.swp`, OLD_MS, OLD_MS)
    fs.renameSync(`${path}.swp`, path)
  },
}

const leftovers = ({ root }: Bench): readonly string[] =>
  fs.readdirSync(root).filter((name) => name.startsWith('.tongs-'))
const textOf = ({ root }: Bench, name: string): string | null =>
  fs.existsSync(join(root, name)) ? fs.readFileSync(join(root, name), 'utf8') : null

/** Files that were written long before, as most are. */
function prepare(): Bench {
  const b = bench({ 'a.txt': 'o'.repeat(THEIRS.length), 'gone.txt': 'to be removed' })
  for (const name of fs.readdirSync(b.root)) fs.utimesSync(join(b.root, name), OLD_MS, OLD_MS)
  return b
}

/**
 * Runs the call, and lets another program act in the last instant before the first steps that change what a name stands
 * for: after the last check, before the system call.
 */
async function race(b: Bench, victim: string, acts: readonly ((path: string) => void)[]) {
  const runtime = await b.open({ tools: [changesAll], config: AUTO, durability: 'full' })
  const pending = [...acts]
  const results: Awaited<ReturnType<typeof runtime.run>>[] = []
  await watchSteps(
    ({ name, target }) => {
      const isVictims = target.split(' ').some((path) => path.endsWith(`/${victim}`))
      if (!isVictims || (name !== 'renameSync' && name !== 'unlinkSync')) return null
      const act = pending.shift()
      if (act !== undefined) unwatched(() => act(join(b.root, victim)))
      return null
    },
    async () => void results.push(await runtime.run(batchOf(['changes_all']))),
  )
  expect(pending).toEqual([])
  await runtime.close()
  return results[0]?.[0]
}

afterEach(() => {
  delete process.env['TONGS_NATIVE']
})

describe.each(Object.entries(SAVES))('a program that %s in the last instant', (_how, save) => {
  it.each(['a.txt', 'new.txt', 'gone.txt'])('loses nothing with native code (%s)', async (victim) => {
    const b = prepare()
    const result = await race(b, victim, [(path) => save(path, THEIRS)])
    expect(textOf(b, victim)).toBe(THEIRS)
    expect(errorOf(result)).toMatchObject({ code: 'in_doubt' })
    expect(JSON.stringify(errorOf(result))).toContain(victim)
    expect(leftovers(b)).toEqual([])
    await (await b.open({ tools: [changesAll], config: AUTO })).close()
    expect(textOf(b, victim)).toBe(THEIRS)
  })

  it.each([
    ['a.txt', 'new a'],
    ['new.txt', 'new'],
    ['gone.txt', null],
  ])('loses what it saved without native code (%s)', async (victim, after) => {
    process.env['TONGS_NATIVE'] = 'off'
    const b = prepare()
    const result = await race(b, victim, [(path) => save(path, THEIRS)])
    expect(textOf(b, victim)).toBe(after)
    expect(result).toMatchObject({ ok: true })
  })
})

describe('a program that interferes more than once', () => {
  it.each([2, 3, 4, 5])('finds what it saved last, after %i saves', async (times) => {
    const b = prepare()
    const saves = Array.from({ length: times }, (_, at) => (path: string) => {
      SAVES['puts another file in its place']?.(path, at === times - 1 ? NEWER : `${THEIRS} ${at}`)
    })
    await race(b, 'a.txt', saves)
    expect(textOf(b, 'a.txt')).toBe(NEWER)
    expect(leftovers(b)).toEqual([])
  })

  it('finds a file that it removed still removed', async () => {
    const b = prepare()
    const result = await race(b, 'a.txt', [(path) => fs.rmSync(path)])
    expect(textOf(b, 'a.txt')).toBeNull()
    expect(errorOf(result)).toMatchObject({ code: 'in_doubt' })
    expect(leftovers(b)).toEqual([])
  })

  it('keeps a folder that it put in the place of a file, with everything in it', async () => {
    const b = prepare()
    const result = await race(b, 'a.txt', [
      (path) => {
        fs.rmSync(path)
        fs.mkdirSync(path)
        fs.writeFileSync(join(path, 'inside.txt'), THEIRS)
      },
    ])
    expect(textOf(b, 'a.txt/inside.txt')).toBe(THEIRS)
    expect(errorOf(result)).toMatchObject({ code: 'in_doubt' })
    expect(leftovers(b)).toEqual([])
  })
})
