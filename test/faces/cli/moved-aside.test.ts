import { existsSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { someOf } from '../../harness/long-run.ts'
import { makeMachine, outputOf } from './machine.ts'
import type { MachineOptions } from './machine.ts'
import { putMarked } from './marked-file.ts'

const OFF: MachineOptions = { words: ['--set', 'tools.shell.layer=off'] }
const PASSED: MachineOptions = { words: ['--set', 'tools.shell.passthrough=["dist"]'] }
const BARE: MachineOptions = { words: ['--set', 'tools.shell.sandbox=none'] }

/** Where a command writes directly: a name, the folder, how the program is started, and what a call is granted there. */
const PLACES = [
  ['a root without a layer', 'work', OFF, null],
  ['a folder that is passed through', 'work/dist', PASSED, null],
  ['a folder that is passed through a copy', 'work/dist', PASSED, null],
  ['a folder granted for writing', 'shared', {}, { write: 'read' }],
  ['a folder granted for writing, without a layer', 'shared/deep', OFF, { write: 'read' }],
] as const
const CASES = PLACES.flatMap((place) => [
  ['root', ...place] as const,
  ['ordinary', ...place] as const,
]).filter(
  // An overlay of root shows every file, so only an ordinary user works on a copy.
  ([user, name]) => user === 'ordinary' || !name.endsWith('copy'),
)
type Case = (typeof CASES)[number]

/** A machine with a secret in such a folder, and what runs a line there; the second time it is only read. */
function machineFor([user, name, folder, options, granted]: Case) {
  const machine = makeMachine(user)
  if (name.endsWith('copy')) putMarked(machine, 'marked', 'whiteout', '')
  machine.put('work/a.txt')
  machine.put(`${folder}/plain`)
  const at = machine.at(folder)
  const run = async (line: string, isLater = false): Promise<string> => {
    const access = granted === null ? {} : { [isLater ? granted.write : 'write']: [at] }
    const call = { name: 'run_shell', args: { cmd: ['sh', '-c', `cd '${at}'; ${line}`], ...access } }
    return JSON.stringify((await machine.batch([call], options))[0])
  }
  return { machine, folder, run }
}

const SECRET = 'SECRET-of-a-denied-name'
/** Whatever the name is by then. */
const READ_ALL = 'find . -type f -exec cat {} + 2>/dev/null; cat */* .[!.]*/* 2>/dev/null; true'

describe('the folders above a denied name, where a command writes directly', () => {
  it.for(someOf<Case>(CASES, 3))('cannot be moved from above it (as %s in %s)', async (where) => {
    const { machine, folder, run } = machineFor(where)
    machine.put(`${folder}/a/.config/gcloud/cred`, SECRET)
    const moved = await run(
      'mv a/.config/gcloud g; mv -T a/.config a/c; mv a b; echo x >a/new && mv a/new a/.config/newer; echo over',
    )
    expect(moved).toContain('over')
    expect(await run(READ_ALL, true)).not.toContain(SECRET)
    expect(existsSync(machine.at(`${folder}/a/.config/gcloud/cred`))).toBe(true)
    // What lies beside it can still be written and renamed there.
    expect(existsSync(machine.at(`${folder}/a/.config/newer`))).toBe(true)
  })

  it('control: without a sandbox they are moved, and the content is read', async () => {
    const machine = makeMachine('root')
    machine.put('work/.config/gcloud/cred', SECRET)
    await machine.sh('mv .config c', BARE)
    expect(outputOf(await machine.sh('cat c/gcloud/cred', BARE)).stdout).toBe(SECRET)
  })
})

/** Links that make something denied: what a command does to them, and where they lead in turn. */
const LINKS = [
  ['is moved', 'mv .npmrc x', { '.npmrc': 'top' }],
  ['is removed', 'rm .npmrc', { '.npmrc': 'top' }],
  ['is made to lead elsewhere', 'ln -sfn plain .npmrc', { '.npmrc': 'top' }],
  ['is replaced by a file', 'echo >y; mv -f y .npmrc', { '.npmrc': 'top' }],
  ['leads by a link that is moved', 'mv way x', { '.npmrc': 'way', way: 'top' }],
  ['leads by a link to a folder that is removed', 'rm way', { '.npmrc': 'way/top', way: '.' }],
  ['leads through a folder that is moved', 'mv d x', { '.npmrc': 'd/../top' }],
  ['is in a folder that is moved', 'mv d x', { 'd/.npmrc': '../top' }],
] as const
/** Each link in some of the places. */
const LINK_CASES = CASES.flatMap((where, row) =>
  LINKS.filter((_, column) => (row + column) % 3 === 0).map(
    ([what, line, links]) => [where[0], where[1], what, { where, line, links }] as const,
  ),
)

describe('what a link with a denied name leads to, where a command writes directly', () => {
  it.for(someOf(LINK_CASES, 4))(
    'stays hidden (as %s in %s) if the link %s',
    async ([, , , { where, line, links }]) => {
      const { machine, folder, run } = machineFor(where)
      machine.put(`${folder}/top`, SECRET)
      mkdirSync(machine.at(`${folder}/d`))
      for (const [path, target] of Object.entries(links)) symlinkSync(target, machine.at(`${folder}/${path}`))
      await run(`cat .npmrc; ${line}; sleep 1`)
      expect(await run('cat top x 2>/dev/null; cat plain', true)).not.toContain(SECRET)
      for (const [path, target] of Object.entries(links))
        expect(readlinkSync(machine.at(`${folder}/${path}`))).toBe(target)
    },
  )

  it('is said to be put back, and the command was stopped', async () => {
    const { machine, run } = machineFor(['root', ...PLACES[0]])
    machine.put('work/top', SECRET)
    symlinkSync('top', machine.at('work/.npmrc'))
    expect(await run('mv .npmrc x; sleep 60')).toMatch(/\.npmrc, which is back in its place/)
    // One that leads nowhere hides nothing.
    symlinkSync('nowhere', machine.at('work/.env'))
    expect(await run('rm .env; echo over')).toContain('over')
    expect(existsSync(machine.at('work/x'))).toBe(true)
  })

  it('control: without a sandbox the link is moved, and the content is read', async () => {
    const machine = makeMachine('root')
    machine.put('work/top', SECRET)
    symlinkSync('top', machine.at('work/.npmrc'))
    await machine.sh('mv .npmrc x', BARE)
    expect(outputOf(await machine.sh('cat x', BARE)).stdout).toBe(SECRET)
    expect(existsSync(machine.at('work/.npmrc'))).toBe(false)
  })
})
