import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, errorOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { watchSteps } from '../../harness/faults/world/steps.ts'
import { unwatched } from '../../harness/faults/world/watching.ts'
import { batchOf, editor } from '../../pipeline/sample-tools.ts'
import { AUTO, bytes } from '../../pipeline/execute/staging-tools.ts'

const FILES = { 'a.txt': 'old a', 'b.txt': 'old b', 'c.txt': 'old c', 'z.txt': 'old z' }
/** In the order in which they get their place: three that change, one that is new, one that goes. */
const ORDER = ['a.txt', 'b.txt', 'c.txt', 'new.txt', 'z.txt'] as const
const THEIRS = 'written by someone else'

const changesAll = editor('changes_all', (_args, { edits }) => {
  for (const name of ORDER.slice(0, -1)) edits.write(name, bytes(`new ${name}`))
  edits.remove('z.txt')
  return { said: '' }
})

const contentsOf = ({ root }: Bench): readonly (string | null)[] =>
  ORDER.map((name) => {
    const path = join(root, name)
    return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : null
  })

/** Runs the call, and has someone else write to `victim` at the moment in which the file before it gets its place. */
async function interfere(b: Bench, victim: string, before: string) {
  const runtime = await b.open({ tools: [changesAll], config: AUTO, durability: 'full' })
  let times = 0
  const results: Awaited<ReturnType<typeof runtime.run>>[] = []
  await watchSteps(
    ({ name, target }) => {
      if (name !== 'renameSync' || !target.endsWith(`/${before}`)) return null
      times++
      unwatched(() => fs.writeFileSync(join(b.root, victim), THEIRS))
      return null
    },
    async () => void results.push(await runtime.run(batchOf(['changes_all']))),
  )
  expect(times).toBe(1)
  return { runtime, result: results[0]?.[0] }
}

describe('a file that someone else writes to between the commit and its own rename', () => {
  it.each(ORDER.slice(1).map((victim, index) => [index + 2, victim, ORDER[index] ?? ''] as const))(
    'is not overwritten, also as number %i of the files of a call (%s)',
    async (place, victim, before) => {
      const b = bench(FILES)
      const { runtime, result } = await interfere(b, victim, before)
      const landed = ORDER.slice(0, place - 1).map((name) => `new ${name}`)
      const untouched = ['old a', 'old b', 'old c', null, 'old z'].slice(place)
      expect(contentsOf(b)).toEqual([...landed, THEIRS, ...untouched])
      expect(errorOf(result)).toMatchObject({ code: 'in_doubt' })
      expect(JSON.stringify(errorOf(result))).toContain(victim)
      expect(fs.readdirSync(b.root).filter((name) => name.startsWith('.tongs-'))).toEqual([])
      await runtime.close()
      await (await b.open({ tools: [changesAll], config: AUTO, durability: 'full' })).run([])
      expect(contentsOf(b)).toEqual([...landed, THEIRS, ...untouched])
    },
  )
})
