import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { someOf } from '../../harness/long-run.ts'
import { makeMachine } from './machine.ts'
import type { Machine } from './machine.ts'
import { putMarked } from './marked-file.ts'

const LAYERS = [
  ['root', 'overlay'],
  ['ordinary', 'overlay'],
  ['ordinary', 'copy'],
] as const
type On = (typeof LAYERS)[number]

/** A repository whose hooks are where a link leads: a link in a folder that commands write directly. */
function putHooks(machine: Machine, folder: string, link: string, target: string): void {
  machine.put(`${folder}/real/keep`)
  machine.put(`${folder}/dist/keep`)
  execFileSync('git', ['init', '-q', machine.at(folder)])
  execFileSync('git', ['-C', machine.at(folder), 'config', 'core.hooksPath', link])
  symlinkSync(target, machine.at(`${folder}/${link}`))
}

const HOOK = 'echo "#!/bin/sh" >real/post-commit; chmod +x real/post-commit'
const DIRECTLY = ['--set', 'tools.shell.passthrough=["dist","lib/dist"]']

describe('a link that leads git to its hooks, in a folder that commands write directly', () => {
  it.for(someOf<On>(LAYERS, 1))(
    'is put back, and no hook lands behind it (as %s on %s)',
    async ([user, layer]) => {
      const machine = makeMachine(user)
      if (layer === 'copy') putMarked(machine, 'marked', 'whiteout', '')
      putHooks(machine, 'work', 'dist/hooks', '../real')
      for (const line of ['mv dist/hooks dist/other', 'rm dist/hooks', 'ln -sfn elsewhere dist/hooks']) {
        const result = await machine.sh(`${HOOK}; ${line}; sleep 1`, { words: DIRECTLY })
        expect(JSON.stringify(result)).toContain('hooks')
        expect(existsSync(machine.at('work/real/post-commit'))).toBe(false)
        expect(readlinkSync(machine.at('work/dist/hooks'))).toBe('../real')
      }
      // What was moved away is no offence of its own; what took the place of the link is set aside.
      expect(readdirSync(machine.at('work/dist')).toSorted()).toEqual([
        'hooks',
        'hooks.refused',
        'keep',
        'other',
      ])
      expect(readlinkSync(machine.at('work/dist/hooks.refused'))).toBe('elsewhere')
      const removed = await machine.sh('rm dist/hooks', { words: DIRECTLY })
      expect(JSON.stringify(removed)).toContain('dist/hooks, which is back in its place')
    },
  )

  it('is put back if it leads the git of a repository around that folder', async () => {
    const machine = makeMachine('root')
    putHooks(machine, 'work/lib', 'dist/hooks', '../real')
    await machine.sh(`cd lib; ${HOOK}; mv dist/hooks dist/other; sleep 1`, { words: DIRECTLY })
    expect(existsSync(machine.at('work/lib/real/post-commit'))).toBe(false)
    expect(readlinkSync(machine.at('work/lib/dist/hooks'))).toBe('../real')
  })

  it('is put back without a layer, so that the next command makes no hook either', async () => {
    const machine = makeMachine('root')
    putHooks(machine, 'work', 'hooks', 'real')
    const words = ['--set', 'tools.shell.layer=off']
    await machine.sh('mv hooks other', { words })
    await machine.sh(HOOK, { words })
    expect(existsSync(machine.at('work/real/post-commit'))).toBe(false)
    expect(readlinkSync(machine.at('work/hooks'))).toBe('real')
  })

  it('control: where nothing leads to it, the same file lands', async () => {
    const machine = makeMachine('root')
    putHooks(machine, 'work', 'dist/hooks', '../real')
    execFileSync('rm', [machine.at('work/dist/hooks')])
    await machine.sh(HOOK, { words: DIRECTLY })
    expect(existsSync(machine.at('work/real/post-commit'))).toBe(true)
  })
})
