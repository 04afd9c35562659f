import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { someOf } from '../../harness/long-run.ts'
import { makeMachine, outputOf, USERS } from './machine.ts'
import type { Machine, MachineOptions } from './machine.ts'
import { putMarked } from './marked-file.ts'

const LAYERS = ['overlay', 'copy', 'none'] as const
const CASES = USERS.flatMap((user) => LAYERS.map((layer) => [user, layer] as const)).filter(
  // An overlay of root shows every file, so only an ordinary user works on a copy.
  ([user, layer]) => user === 'ordinary' || layer !== 'copy',
)

/** A socket that nothing listens on any more. */
async function putSocket(path: string): Promise<void> {
  const server = createServer().listen(`${path}.s`)
  await once(server, 'listening')
  renameSync(`${path}.s`, path)
  server.close()
}

/** Puts pipes and sockets with denied names, and links with such names that lead to them. */
async function putOddNames(machine: Machine): Promise<void> {
  machine.put('work/sub/a.txt', 'plain ')
  execFileSync(
    'mkfifo',
    ['.env', 'sub/.env', 'pipe'].map((name) => machine.at(`work/${name}`)),
  )
  await putSocket(machine.at('work/a.key'))
  symlinkSync('pipe', machine.at('work/.npmrc'))
  symlinkSync('../a.key', machine.at('work/sub/b.key'))
}

describe('pipes and sockets with denied names', () => {
  it.for(someOf(CASES, 2))('are hidden and stop no command (as %s, %s)', async ([user, layer]) => {
    const machine = makeMachine(user)
    await putOddNames(machine)
    if (layer === 'copy') putMarked(machine, 'marked', 'whiteout', '')
    const options: MachineOptions = layer === 'none' ? { words: ['--set', 'tools.shell.layer=off'] } : {}
    const line =
      'cat sub/a.txt; for one in .env sub/.env pipe .npmrc; do [ -p $one ] && echo shown; done; [ -S a.key ] && echo shown; true'
    const output = outputOf(await machine.sh(line, options))
    expect(output).toMatchObject({ stdout: 'plain ', layer })
  })

  it('control: without a sandbox they show', async () => {
    const machine = makeMachine('root')
    await putOddNames(machine)
    const line = '[ -p .env ] && [ -p .npmrc ] && [ -S a.key ] && echo shown'
    const output = outputOf(await machine.sh(line, { words: ['--set', 'tools.shell.sandbox=none'] }))
    expect(output.stdout).toBe('shown\n')
  })
})
