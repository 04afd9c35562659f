import { Buffer } from 'node:buffer'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { setFolderAttributes } from '../../../src/host/fs/attributes.ts'
import { someOf } from '../../harness/long-run.ts'
import { codeOf, makeMachine, outputOf } from './machine.ts'
import type { Machine } from './machine.ts'
import { putMarked } from './marked-file.ts'

const isLinux = process.platform === 'linux'
const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]

function markFolder(machine: Machine, path: string, mark: string, value: string): void {
  const attributes = new Map([[`user.overlay.${mark}`, Buffer.from(value)]])
  expect(setFolderAttributes(machine.at(path), { mode: 0o755, uid, gid, attributes })).toBe(true)
}

const layerOf = (output: object): unknown => ('layer' in output ? output.layer : null)

describe.runIf(isLinux)('a file that carries the mark of an overlay', () => {
  const MARKED = [
    ['one whose content is elsewhere', 'note.txt', 'metacopy', 'read\n', 0o644],
    ['one that is gone', 'note.txt', 'whiteout', '', 0o644],
    ['one that not even its owner can read', 'note.txt', 'metacopy', 'shut\n', 0],
    ['a denied one', '.env', 'metacopy', 'secret\n', 0o644],
  ] as const

  it.for(someOf<(typeof MARKED)[number]>(MARKED, 2))(
    'stops no command of an ordinary user, who works on a copy: %s',
    async ([, name, mark, text, mode]) => {
      const machine = makeMachine('ordinary')
      for (const path of ['work/a.txt', 'work/.env']) machine.put(path, 'secret\n')
      putMarked(machine, name, mark, text)
      chmodSync(machine.at(`work/${name}`), mode)
      markFolder(machine, 'work', 'opaque', 'x')
      const ran = outputOf(await machine.sh(`echo more >>a.txt; cat ${name}`))
      expect(layerOf(ran)).toBe('copy')
      expect(ran.stdout).toBe(mode === 0 || name === '.env' ? '' : text)
      expect(outputOf(await machine.sh('cat a.txt')).stdout).toBe('secret\nmore\n')
    },
  )

  it('on that copy, a command that moves the folder above one that is written directly lands nothing', async () => {
    const machine = makeMachine('ordinary')
    putMarked(machine, 'note.txt', 'whiteout', '')
    for (const path of ['work/o/file', 'work/o/dist/old', 'work/p/dist/old']) machine.put(path)
    const words = ['--set', 'tools.shell.passthrough=["o/dist","p/dist"]']
    const line = 'mv o moved; mkdir -p o/dist; echo result >o/dist/new; echo 1 >p/dist/new'
    const refused = await machine.sh(line, { words })
    expect(codeOf(refused)).toBe('not_allowed')
    expect(JSON.stringify(refused)).toMatch(/o\/dist would have been moved or removed with its folder/)
    const there = ['o/file', 'o/dist/old', 'moved', 'o/dist/new', 'p/dist/new']
    expect(there.filter((name) => existsSync(machine.at(`work/${name}`)))).toEqual([
      'o/file',
      'o/dist/old',
      'p/dist/new',
    ])
    // One that leaves these folders alone lands.
    expect(outputOf(await machine.sh('echo 1 >o/dist/new; echo 1 >o/beside', { words })).stdout).toBe('')
    expect(existsSync(machine.at('work/o/beside'))).toBe(true)
  })

  it('is named, with what to do, if the workspace is too large to be copied', async () => {
    const machine = makeMachine('ordinary')
    putMarked(machine, 'note.txt', 'metacopy', 'text\n')
    const words = ['--set', 'tools.shell.layer_copy_max_bytes=3']
    const refused = await machine.sh('cat note.txt', { words })
    expect(codeOf(refused)).toBe('resource_exhausted')
    expect(JSON.stringify(refused)).toMatch(
      /work\/note\.txt has the extended attribute user\.overlay\.metacopy/,
    )
    expect(JSON.stringify(refused)).toContain('setfattr -x user.overlay.metacopy')
  })

  it('control: marks that change nothing about what shows leave commands on an overlay', async () => {
    const machine = makeMachine('ordinary')
    for (const path of ['work/a.txt', 'work/.env']) machine.put(path, 'secret\n')
    mkdirSync(machine.at('work/in'))
    putMarked(machine, 'note.txt', 'redirect', 'text\n')
    markFolder(machine, 'work/in', 'redirect', '/other')
    const ran = outputOf(await machine.sh('cat note.txt; ls'))
    expect(ran.stdout).toBe('text\na.txt\nin\nnote.txt\n')
    expect(layerOf(ran)).toBe('overlay')
  })
})
