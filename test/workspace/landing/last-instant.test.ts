import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bench, errorOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { watchSteps } from '../../harness/faults/world/steps.ts'
import { unwatched } from '../../harness/faults/world/watching.ts'
import { batchOf, editor } from '../../pipeline/sample-tools.ts'
import { AUTO, bytes } from '../../pipeline/execute/staging-tools.ts'
import { layerBench } from './layer-bench.ts'

const FILES = { 'a.txt': 'old a', 'b.txt': 'old b' }
const THEIRS = 'written by someone else'

const changesAll = editor('changes_all', (_args, { edits }) => {
  for (const name of ['a.txt', 'b.txt', 'new.txt']) edits.write(name, bytes(`new ${name}`))
  return { said: '' }
})

type Interfere = (path: string) => void

/** Runs the call, and has someone else act on a file after the last look at it, when its name is about to change hands. */
async function runAgainst(b: Bench, victim: string, act: Interfere) {
  const runtime = await b.open({ tools: [changesAll], config: AUTO, durability: 'full' })
  let times = 0
  const results: Awaited<ReturnType<typeof runtime.run>>[] = []
  await watchSteps(
    ({ name, target }) => {
      if (name === 'renameSync' && target.endsWith(`/${victim}`) && times++ === 0)
        unwatched(() => act(join(b.root, victim)))
      return null
    },
    async () => void results.push(await runtime.run(batchOf(['changes_all']))),
  )
  expect(times).toBeGreaterThan(0)
  await runtime.close()
  return results[0]?.[0]
}

const ACTS: readonly (readonly [string, string, Interfere])[] = [
  ['writes to a file', 'b.txt', (path) => fs.writeFileSync(path, THEIRS)],
  ['writes as many bytes to a file', 'b.txt', (path) => fs.writeFileSync(path, THEIRS.slice(0, 5))],
  [
    'replaces a file',
    'b.txt',
    (path) => {
      fs.writeFileSync(`${path}.theirs`, THEIRS)
      fs.renameSync(`${path}.theirs`, path)
    },
  ],
  [
    'puts a link in the place of a file',
    'b.txt',
    (path) => {
      fs.unlinkSync(path)
      fs.symlinkSync('a.txt', path)
    },
  ],
  ['creates a file first', 'new.txt', (path) => fs.writeFileSync(path, THEIRS)],
]

const readAs = (path: string): string =>
  fs.lstatSync(path).isSymbolicLink() ? `-> ${fs.readlinkSync(path)}` : fs.readFileSync(path, 'utf8')

describe('someone who acts between the last look and the rename', () => {
  it.each(ACTS)('and %s keeps it', async (_what, victim, act) => {
    const b = bench(FILES)
    let theirs = ''
    const result = await runAgainst(b, victim, (path) => {
      act(path)
      theirs = readAs(path)
    })
    expect(readAs(join(b.root, victim))).toBe(theirs)
    expect(errorOf(result)).toMatchObject({ code: 'in_doubt', details: { files: [victim] } })
    expect(fs.readdirSync(b.root).filter((name) => name.startsWith('.tongs-'))).toEqual([])
  })

  it('and writes what was there before changes nothing', async () => {
    const b = bench(FILES)
    const result = await runAgainst(b, 'b.txt', (path) => fs.writeFileSync(path, FILES['b.txt']))
    expect(result).toMatchObject({ ok: true })
    expect(readAs(join(b.root, 'b.txt'))).toBe('new b.txt')
    expect(fs.readdirSync(b.root).filter((name) => name.startsWith('.tongs-'))).toEqual([])
  })

  it('and creates a file where one of a layer is to be moved keeps it, and the other stays on the layer', async () => {
    const b = layerBench({ 'd/': '' })
    const { changes } = b.command('call', (folder) => fs.writeFileSync(join(folder, 'd/new.txt'), 'ours'))
    const workspace = b.open()
    let times = 0
    let landed: unknown = null
    await watchSteps(
      ({ name, target }) => {
        if (name === 'renameSync' && target.endsWith('/new.txt') && times++ === 0)
          unwatched(() => fs.writeFileSync(join(b.root, 'd/new.txt'), THEIRS))
        return null
      },
      async () => void (landed = workspace.land('call', changes, () => null)),
    )
    workspace.close()
    expect(times).toBe(1)
    expect(landed).toEqual({ is: 'drifted', files: ['d/new.txt'] })
    expect(fs.readFileSync(join(b.root, 'd/new.txt'), 'utf8')).toBe(THEIRS)
    expect(fs.readFileSync(join(b.place, 'call/0/upper/d/new.txt'), 'utf8')).toBe('ours')
  })

  it('is overwritten without native calls, which is why these are in use', async () => {
    onTestFinished(() => void delete process.env['TONGS_NATIVE'])
    process.env['TONGS_NATIVE'] = 'off'
    const b = bench(FILES)
    expect(await runAgainst(b, 'b.txt', (path) => fs.writeFileSync(path, THEIRS))).toMatchObject({ ok: true })
    expect(readAs(join(b.root, 'b.txt'))).toBe('new b.txt')
  })
})
