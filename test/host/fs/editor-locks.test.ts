import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findEditorLocks } from '../../../src/host/fs/editor-locks.ts'
import type { EditorLock } from '../../../src/host/fs/editor-locks.ts'
import { runOrdinary } from '../../harness/ordinary-user.ts'
import { makeScratch } from '../../harness/scratch.ts'

/** The locks of one file. If there are many files, the folder is listed once instead, which has to find the same. */
function locksOf(file: string): readonly EditorLock[] {
  const [alone] = findEditorLocks([file])
  const others = Array.from({ length: 20 }, (_, index) => `${file}-${index}`)
  const [among, ...rest] = findEditorLocks([file, ...others])
  expect(among).toEqual(alone)
  expect(rest.flat()).toEqual([])
  return alone ?? []
}

/** The id of a process that has ended. */
const dead = (): number => spawnSync('true').pid

/** The beginning of a swap file, as Vim writes it. */
function swapOf(pid: number, host: string): Buffer {
  const block = Buffer.alloc(4096)
  block.write('b0VIM 9.1')
  block.writeInt32LE(pid, 24)
  block.write('ada', 28)
  block.write(host, 68)
  return block
}

const HERE = hostname()
const ELSEWHERE = `not-${HERE}`

it.each([
  ['a living process here', () => process.pid, HERE, true],
  ['a dead process here', dead, HERE, false],
  ['a process of another machine', dead, ELSEWHERE, true],
])('a lock of %s', (_whose, pidOf, host, isHeld) => {
  const folder = makeScratch().at('folder')
  mkdirSync(folder)
  const pid = pidOf()
  for (const [name, boot] of [
    ['emacs.txt', ':1700000000'],
    ['old-emacs.txt', ''],
  ] as const) {
    symlinkSync(`ada@${host}.${pid}${boot}`, join(folder, `.#${name}`))
    expect(locksOf(join(folder, name)).length, name).toBe(isHeld ? 1 : 0)
  }
  writeFileSync(join(folder, '.vim.txt.swp'), swapOf(pid, host))
  expect(locksOf(join(folder, 'vim.txt')).length).toBe(isHeld ? 1 : 0)
})

it.each([
  ['nothing', Buffer.alloc(0)],
  ['something else', Buffer.from('x'.repeat(4096))],
  ['no process', swapOf(0, HERE)],
])('a swap file that holds %s counts', (_what, content) => {
  const folder = makeScratch().at('folder')
  mkdirSync(folder)
  writeFileSync(join(folder, '.a.txt.swp'), content)
  expect(locksOf(join(folder, 'a.txt'))).toHaveLength(1)
})

it('finds the locks of many files in a folder that may be entered but not listed', () => {
  const scratch = makeScratch()
  chmodSync(scratch.path, 0o755)
  const folder = scratch.at('folder')
  mkdirSync(folder)
  writeFileSync(join(folder, '.a.txt.swp'), '')
  const others = Array.from({ length: 20 }, (_, index) => `other-${index}.txt`)
  chmodSync(folder, 0o311)
  const found = runOrdinary(new URL('editor-locks-child.ts', import.meta.url), folder, 'a.txt', ...others)
  expect(found).toEqual(['.a.txt.swp'])
})
