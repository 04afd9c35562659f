import { spawnSync } from 'node:child_process'
import { chmodSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { readFirstAttributes, writeArchive } from '../../../src/host/fs/pax.ts'
import { outputOf } from '../../bench-folder.ts'
import { editBench } from '../../tools/edits/edit-bench.ts'

/** Only root may give a program capabilities. */
const CAPABILITY = Buffer.from('0100000200040000000000000000000000000000', 'hex').toString('latin1')
const isRoot = process.getuid?.() === 0
const ATTRIBUTES = { 'user.note': 'mine', ...(isRoot ? { 'security.capability': CAPABILITY } : {}) }

function attribute(path: string, content: string, attributes: Readonly<Record<string, string>>): void {
  const input = writeArchive({
    name: path.slice(path.lastIndexOf('/') + 1),
    content: Buffer.from(content),
    mode: 0o755,
    uid: process.geteuid?.() ?? 0,
    gid: process.getegid?.() ?? 0,
    attributes: new Map(
      Object.entries(attributes).map(([key, value]) => [key, Buffer.from(value, 'latin1')]),
    ),
  })
  const args = ['-xp', '--xattrs', '--xattrs-include=*', '-f', '-']
  expect(spawnSync('tar', args, { cwd: dirname(path), input }).status).toBe(0)
}

function attributesOf(path: string): Readonly<Record<string, string>> {
  const { stdout } = spawnSync('tar', ['-cP', '--format=posix', '--xattrs', '--xattrs-include=*', path])
  const found = [...readFirstAttributes(stdout)]
  return Object.fromEntries(found.map(([name, value]) => [name, Buffer.from(value).toString('latin1')]))
}

it('a file that an edit changes loses setuid bits and capabilities, says so, and has them again after undo', async () => {
  const b = await editBench({ f: '' })
  const path = `${b.root}/f`
  attribute(path, 'one\n', ATTRIBUTES)
  chmodSync(path, 0o6755)
  await b.see('f')
  const result = await b.run('write_file', { path: 'f', content: 'two\n' })
  outputOf(result)
  expect(JSON.stringify(result)).toContain(
    `f loses its setuid and setgid bits${isRoot ? ' and file capabilities' : ''}`,
  )
  expect([statSync(path).mode & 0o7777, attributesOf(path)]).toEqual([0o755, { 'user.note': 'mine' }])
  expect(await b.runtime.undo()).toMatchObject({ ok: true })
  expect([statSync(path).mode & 0o7777, attributesOf(path)]).toEqual([0o6755, ATTRIBUTES])
  expect(await b.runtime.redo()).toMatchObject({ ok: true })
  expect([statSync(path).mode & 0o7777, attributesOf(path)]).toEqual([0o755, { 'user.note': 'mine' }])
})

it('a file of which only a part of what a command did is taken loses them too, and has them again after undo', async () => {
  const lines = Array.from({ length: 40 }, (_, at) => `${at}\n`)
  const b = await editBench(
    { f: '' },
    { approve: (asked) => asked.map(() => ({ answer: 'once', hunks: [1] })) },
  )
  const path = `${b.root}/f`
  attribute(path, lines.join(''), ATTRIBUTES)
  chmodSync(path, 0o6755)
  const result = await b.run('run_shell', {
    cmd: ['sed', '-i', '-e', 's/^5$/new/', '-e', 's/^30$/new/', 'f'],
  })
  expect(outputOf(result)).toMatchObject({ partial: true })
  expect(JSON.stringify(result)).toContain('f loses its setuid and setgid bits')
  expect(b.raw('f')).toBe(lines.with(5, 'new\n').join(''))
  expect([statSync(path).mode & 0o7777, attributesOf(path)]).toEqual([0o755, { 'user.note': 'mine' }])
  expect(await b.runtime.undo()).toMatchObject({ ok: true })
  expect([statSync(path).mode & 0o7777, attributesOf(path)]).toEqual([0o6755, ATTRIBUTES])
})

it('undo and redo of a command and an edit at once keep the attributes that the command set', async () => {
  const b = await editBench({ f: 'one\n' }, { approve: (asked) => asked.map(() => 'once' as const) })
  const path = `${b.root}/f`
  attribute(`${b.root}/with`, 'noted\n', { 'user.note': 'by command' })
  outputOf(await b.run('run_shell', { cmd: ['cp', '--preserve=all', 'with', 'f'] }))
  await b.see('f')
  outputOf(await b.run('write_file', { path: 'f', content: 'two\n' }))
  expect(attributesOf(path)).toEqual({ 'user.note': 'by command' })
  expect(await b.runtime.undo({ last: 2 })).toMatchObject({ ok: true })
  expect(attributesOf(path)).toEqual({})
  expect(await b.runtime.redo()).toMatchObject({ ok: true })
  expect(attributesOf(path)).toEqual({ 'user.note': 'by command' })
})
