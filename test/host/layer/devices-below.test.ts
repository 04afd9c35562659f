import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'

/** What container tools leave in place of a name that is gone; everybody can make it. */
const device = (path: string): void => void execFileSync('mknod', [path, 'c', '0', '0'])

const YES = { approve: (asked: readonly unknown[]) => asked.map(() => 'once' as const) }

it.runIf(process.platform === 'linux')(
  'one with a denied name, wherever it lies, keeps no command from running, the first or the next of a layer',
  async () => {
    const b = bench({ 'a.txt': 'one\n', 'd/b.txt': 'two\n' })
    for (const name of ['.env', 'd/.env']) device(join(b.root, name))
    const runtime = await b.open(YES)
    const call = (id: string, line: string) => ({ id, name: 'run_shell', args: { cmd: ['sh', '-c', line] } })
    const results = await runtime.run([
      call('c1', 'cat a.txt; echo new >new.txt'),
      call('c2', 'cat d/b.txt d/.env 2>/dev/null; cat new.txt'),
    ])
    expect(results.map((one) => outputOf(one)['stdout'])).toEqual(['one\n', 'two\nnew\n'])
    expect(lstatSync(join(b.root, 'd/.env')).isCharacterDevice()).toBe(true)
  },
)

it.runIf(process.platform === 'linux')(
  'a device by which overlays mark what is gone does not keep commands from running',
  async () => {
    const b = bench({ 'a.txt': 'one\n', 'd/b.txt': 'two\n' })
    mkdirSync(join(b.root, 'e'))
    for (const name of ['gone', '.env', 'd/gone', 'e/gone']) device(join(b.root, name))
    const line = 'cat a.txt; echo new > d/new.txt'
    const output = outputOf(await b.call('run_shell', { cmd: ['sh', '-c', line] }, YES))
    expect(output).toMatchObject({ stdout: 'one\n', layer: 'overlay', changes: [{ path: 'd/new.txt' }] })
    for (const name of ['gone', '.env', 'd/gone', 'e/gone'])
      expect(lstatSync(join(b.root, name)).isCharacterDevice()).toBe(true)
    // The command cannot know that something is there, so what it makes is not put in its place.
    const taken = await b.call('run_shell', { cmd: ['sh', '-c', 'echo mine > gone'] }, YES)
    expect(errorOf(taken).message).toContain('gone would have been replaced or removed, but it is a socket')
    expect(lstatSync(join(b.root, 'gone')).isCharacterDevice()).toBe(true)
  },
)
