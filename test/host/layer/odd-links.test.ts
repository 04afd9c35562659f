import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { lookAt } from '../../../src/host/layer/enter/look.ts'
import { steadyIndexes } from '../../../src/host/layer/enter/steady-index.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import type { Root } from '../../../src/host/root/root.ts'
import { benchAskingBefore } from '../../bench-folder.ts'
import { cleanUpWith } from '../../harness/clean-up.ts'
import { makeScratch } from '../../harness/scratch.ts'
import type { Scratch } from '../../harness/scratch.ts'

/** Targets of links that lead nowhere, in a folder with a file `f` and a link `.env` to the target. */
const NOWHERE = [
  ['itself', '.env'],
  ['a circle', 'one/x'],
  ['a name that is too long', 'a'.repeat(300)],
  ['a file as if it were a folder', 'f/x'],
] as const

function openScratch(): { readonly scratch: Scratch; readonly root: Root } {
  const scratch = makeScratch()
  scratch.file('root/f', 'plain')
  symlinkSync('two', scratch.at('root/one'))
  symlinkSync('one', scratch.at('root/two'))
  const root = openRoot(scratch.at('root'))
  cleanUpWith(() => root.close())
  return { scratch, root }
}

function look(root: Root) {
  return lookAt(root, null, {
    isHidden: (path) => path.endsWith('.env'),
    hiddenBefore: new Set(),
    holes: new Map(),
    maxPathBytes: 4_000,
    keepsInodes: true,
  })
}

describe('a link with a denied name that leads to', () => {
  it.for(NOWHERE)('%s hides nothing, and is watched like any other', ([, target]) => {
    const { scratch, root } = openScratch()
    symlinkSync(target, scratch.at('root/.env'))
    const seen = look(root)
    expect(seen.masks).toEqual([])
    expect(seen.findMoved(root)).toBeNull()
    renameSync(scratch.at('root/f'), scratch.at('root/g'))
    rmSync(scratch.at('root/.env'))
    symlinkSync('g', scratch.at('root/.env'))
    expect(seen.findMoved(root)).toBe('.env')
  })

  it.for(NOWHERE)('%s stops no command', async ([, target]) => {
    const b = benchAskingBefore({ f: 'plain' })
    symlinkSync('two', `${b.root}/one`)
    symlinkSync('one', `${b.root}/two`)
    symlinkSync(target, `${b.root}/.env`)
    const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)
    const result = await b.call('run_shell', { cmd: ['cat', 'f'] }, { approve })
    expect(result).toMatchObject({ ok: true })
  })

  it('control: a link to a file hides the file', () => {
    const { scratch, root } = openScratch()
    symlinkSync('f', scratch.at('root/.env'))
    expect(look(root).masks.map(({ path }) => path)).toEqual(['f'])
  })
})

it.for(['one/x', 'a'.repeat(300), 'f/x'])(
  'a hidden file beside a .git that leads to %s has no index to be steadied, and stops nothing',
  (target) => {
    const { scratch, root } = openScratch()
    scratch.file('root/.git', `gitdir: ${target}\n`)
    scratch.file('root/.env', 'hidden')
    const mask = { path: '.env', kind: 'file', size: 6, modifiedMs: 0 } as const
    expect(steadyIndexes(root, [mask])).toEqual({ masks: [mask], indexes: [] })
  },
)
