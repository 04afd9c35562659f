import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agreeOnce } from '../../../src/core/approval.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { git } from '../../host/confine/git-attacks.ts'

const HEAD = 'ref: refs/heads/main\n'

/** A session in which calls are made and undone one by one. */
async function session(files: Readonly<Record<string, string>>) {
  const b = bench(files)
  const runtime = await b.open({ durability: 'normal', approve: agreeOnce })
  let count = 0
  const call = async (name: string, args: unknown): Promise<ToolResult | undefined> => {
    count += 1
    return (await runtime.run([{ id: `c${count}`, name, args }], { session: 's' }))[0]
  }
  const write = async (path: string) => outputOf(await call('write_file', { path, content: 'x' }))
  const remove = async (path: string) => {
    const result = await call('delete_path', { path })
    outputOf(result)
    return result?.execution?.id ?? ''
  }
  const undo = (calls?: readonly string[], except: readonly string[] = []) =>
    runtime.undo({ session: 's', except, ...(calls === undefined ? {} : { calls }) })
  return { b, runtime, call, write, remove, undo, isThere: (path: string) => existsSync(join(b.root, path)) }
}

describe('an undo', () => {
  it('makes no repository of what was written after a HEAD was deleted', async () => {
    const { b, write, remove, undo, isThere } = await session({ 'pkg/HEAD': HEAD, 'a.txt': 'one\n' })
    const deleted = await remove('pkg/HEAD')
    for (const path of ['pkg/objects/a', 'pkg/refs/a', 'pkg/config']) await write(path)
    const refused = await undo([deleted])
    expect(refused).toMatchObject({ ok: false, files: [] })
    expect(refused.message).toContain('pkg would become a git repository, whose configuration git obeys')
    expect(isThere('pkg/HEAD')).toBe(false)
    rmSync(join(b.root, 'pkg/config'))
    rmSync(join(b.root, 'pkg/objects'), { recursive: true })
    expect(await undo([deleted])).toMatchObject({ ok: true })
    expect(isThere('pkg/HEAD')).toBe(true)
  })

  it('of all of these calls puts everything back, folders included', async () => {
    const { b, write, remove, runtime } = await session({ 'pkg/HEAD': HEAD })
    await remove('pkg/HEAD')
    for (const path of ['pkg/objects/a', 'pkg/refs/a', 'pkg/config']) await write(path)
    expect(await runtime.undo({ session: 's', last: 4 })).toMatchObject({ ok: true })
    expect(readdirSync(join(b.root, 'pkg'))).toEqual(['HEAD'])
  })

  it('puts back what looks like a repository and was removed as a whole', async () => {
    const { call, undo, isThere } = await session({ 'pkg/HEAD': HEAD, 'pkg/objects/x': '', 'pkg/refs/x': '' })
    outputOf(await call('run_shell', { cmd: ['rm', '-r', 'pkg'] }))
    expect(isThere('pkg')).toBe(false)
    expect(await undo()).toMatchObject({ ok: true })
    expect(isThere('pkg/HEAD')).toBe(true)
  })
})

describe('what git runs by now', () => {
  it('is made by no redo, and named by an undo', async () => {
    const { b, runtime, remove, write, undo, isThere } = await session({ 'a.txt': 'one\n' })
    git(b.root, 'init', '-q')
    await write('tools/pre-commit')
    await remove('tools/pre-commit')
    git(b.root, 'config', 'core.hooksPath', 'tools')
    const undone = await undo()
    expect(undone).toMatchObject({
      ok: true,
      message: expect.stringContaining('git obeys or runs by now: tools/pre-commit') as string,
    })
    expect(await undo()).toMatchObject({ ok: true, message: null })
    expect(isThere('tools/pre-commit')).toBe(false)
    const redone = await runtime.redo({ session: 's' })
    expect(redone).toMatchObject({
      ok: false,
      message: expect.stringContaining('git would obey or run tools/pre-commit') as string,
    })
    expect(isThere('tools/pre-commit')).toBe(false)
    git(b.root, 'config', '--unset', 'core.hooksPath')
    expect(await runtime.redo({ session: 's' })).toMatchObject({ ok: true })
    expect(isThere('tools/pre-commit')).toBe(true)
  })
})

describe('a command', () => {
  it.each(['HEAD', 'refs', 'objects'])(
    'takes no %s out of a repository, so that an undo can put it back',
    async (name) => {
      const { b, call, isThere } = await session({ 'a.txt': 'one\n' })
      git(b.root, 'init', '-q', '--bare', 'one.git')
      const error = errorOf(await call('run_shell', { cmd: ['rm', '-r', `one.git/${name}`] }))
      expect(error.message).toContain('git repository')
      expect(isThere(`one.git/${name}`)).toBe(true)
    },
  )
})
