import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { runSteps } from '../../../src/host/system/steps.ts'
import { createAttributeCache } from '../../../src/workspace/landing/attribute-cache.ts'
import type { AttributeCache } from '../../../src/workspace/landing/attribute-cache.ts'
import { withAttributes } from '../../../src/workspace/landing/with-attributes.ts'
import { bench, outputOf } from '../../bench-folder.ts'
import { makeScratch } from '../../harness/scratch.ts'

const shell = (line: string) => ({ name: 'run_shell', args: { cmd: ['sh', '-c', line] } })
const write = { name: 'write_file', args: { path: 'f', content: 'two\n' } }

async function run(
  files: Readonly<Record<string, string>>,
  call: { readonly name: string; readonly args: unknown },
) {
  const b = bench(files)
  const f = join(b.root, 'f')
  if ('f' in files) chmodSync(f, 0o644)
  const runtime = await b.open({ approve: (asked) => asked.map(() => 'once' as const) })
  const calls = 'f' in files ? [{ id: 'r', name: 'read_file', args: { path: 'f' } }] : []
  const results = await runtime.run([...calls, { id: 'c', ...call }])
  outputOf(results.at(-1))
  return { runtime, f, look: () => [readFileSync(f, 'utf8'), statSync(f).mode & 0o777] }
}

describe('a mode that a person changed after a call', () => {
  it.for([['an edit', write] as const, ['a command', shell('echo two > f')] as const])(
    'is kept by undo and redo of %s that did not change it',
    async ([, call]) => {
      const { runtime, f, look } = await run({ f: 'one\n' }, call)
      chmodSync(f, 0o600)
      expect(await runtime.undo()).toMatchObject({ ok: true })
      expect(look()).toEqual(['one\n', 0o600])
      expect(await runtime.redo()).toMatchObject({ ok: true })
      expect(look()).toEqual(['two\n', 0o600])
      chmodSync(f, 0o640)
      expect(await runtime.undo()).toMatchObject({ ok: true })
      expect(look()).toEqual(['one\n', 0o640])
    },
  )

  it.for([['an edit', write] as const, ['a command', shell('echo two > f')] as const])(
    'comes back with a file that %s created',
    async ([, call]) => {
      const { runtime, f, look } = await run({}, call)
      chmodSync(f, 0o600)
      expect(await runtime.undo()).toMatchObject({ ok: true })
      expect(await runtime.redo()).toMatchObject({ ok: true, message: null })
      expect(look()).toEqual(['two\n', 0o600])
    },
  )

  it('keeps undo from changing anything if the call had changed the mode too', async () => {
    const { runtime, f, look } = await run({ f: 'one\n' }, shell('echo two > f; chmod 755 f'))
    chmodSync(f, 0o600)
    expect(await runtime.undo()).toMatchObject({ ok: false, drifted: ['f'] })
    expect(look()).toEqual(['two\n', 0o600])
    chmodSync(f, 0o755)
    expect(await runtime.undo()).toMatchObject({ ok: true })
    expect(look()).toEqual(['one\n', 0o644])
  })
})

it('the modes of many files that a person changed are kept with one look at their attributes', () => {
  const scratch = makeScratch()
  const root = openRoot(scratch.folder('root'))
  try {
    const names = ['a', 'b', 'c']
    const state = { digest: 'd', mode: 0o644, uid: 0, gid: 0 }
    const reverted = names.map((path) => {
      scratch.file(`root/${path}`)
      chmodSync(scratch.at(`root/${path}`), 0o600)
      const after = { ...state, held: `held/${path}` }
      return { root: root.path, path, before: state, after, folders: [] }
    })
    const cache = createAttributeCache()
    const looks: string[][] = []
    const counting = {
      ...cache,
      reading: (files: Parameters<AttributeCache['read']>[0]) => {
        if (files.length > 0) looks.push(files.map(({ path }) => path))
        return cache.reading(files)
      },
    }
    const { changes } = runSteps(
      withAttributes(reverted, { rootOf: () => root, cache: counting, contentOf: () => null }),
    )
    expect(changes.map(({ after }) => after?.mode)).toEqual([0o600, 0o600, 0o600])
    expect(looks).toEqual([names])
  } finally {
    root.close()
  }
})

it('the attributes of many files are read in steps, so that other work can go on', () => {
  const scratch = makeScratch()
  const root = openRoot(scratch.folder('root'))
  try {
    const state = { digest: 'd', mode: 0o644, uid: 0, gid: 0 }
    const reverted = Array.from({ length: 350 }, (_, index) => {
      const path = `f${index}`
      scratch.file(`root/${path}`)
      return { root: root.path, path, before: state, after: { ...state, digest: 'e' }, folders: [] }
    })
    const steps = [
      ...withAttributes(reverted, {
        rootOf: () => root,
        cache: createAttributeCache(),
        contentOf: () => null,
      }),
    ]
    // One for each mode, one for each file, and one for each process that reads a hundred of them.
    expect(steps).toHaveLength(350 + 350 + 4)
  } finally {
    root.close()
  }
})
