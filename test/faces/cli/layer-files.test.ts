import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, linkSync, lstatSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { NOBODY, ordinaryProgram } from '../../harness/ordinary-user.ts'
import { TOP } from '../../../scripts/run-tool.ts'
import { makeShop, shopHere } from './command-line.ts'
import type { Shop } from './command-line.ts'

const isRoot = process.getuid?.() === 0

function shop(files: Readonly<Record<string, string>>): Shop {
  const made = makeShop(files)
  onTestFinished(() => {
    // Too deep for a removal by path.
    execFileSync('rm', ['-rf', dirname(made.root)])
  })
  return shopHere(made)
}

interface Facts {
  readonly stdout: string
  readonly layer: string
  readonly changes: readonly { readonly path: string; readonly change: string }[]
  readonly left_out?: readonly { readonly path: string; readonly why: string }[]
}

async function land(
  s: Shop,
  line: string,
): Promise<{ readonly facts: Facts; readonly row: ToolResult | undefined }> {
  const calls = [{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }]
  const { rows } = await s.batch(calls, '--yes')
  const [row] = rows
  return { row, facts: (row?.ok === true ? row.result : {}) as unknown as Facts }
}

const undo = (s: Shop) => s.tongs(['undo', '--yes', '--json', '--session', 'cli'])
const list = (s: Shop) =>
  execFileSync('find', ['.', '-mindepth', '1', '-printf', '%P %y %m\n'], { cwd: s.root, encoding: 'utf8' })
    .split('\n')
    .toSorted()
    .join('\n')
    .trim()

describe('a command on a layer', () => {
  it('lands paths that are longer than the system takes at once, and they are taken back', async () => {
    const s = shop({ kept: 'kept' })
    const name = 'n'.repeat(200)
    const down = (step: string): string => `for (1..25) { ${step} chdir "${name}" or exit 9 }`
    const line = `perl -e '${down(`mkdir "${name}";`)} open F, ">", "file"; print F "deep"'`
    const { facts, row } = await land(s, line)
    expect(row?.ok, row?.content).toBe(true)
    expect(facts.changes).toEqual([{ path: expect.stringMatching(/\/file$/), change: 'created' }])
    const look = `${down('')} open F, "<", "file"; print <F>`
    expect(execFileSync('perl', ['-e', look], { cwd: s.root, encoding: 'utf8' })).toBe('deep')
    expect((await undo(s)).code).toBe(0)
    expect(list(s)).toBe('kept f 644')
  })

  it('lands files with several names as files of their own', async () => {
    const s = shop({ one: 'old\n' })
    linkSync(join(s.root, 'one'), join(s.root, 'two'))
    const { facts } = await land(s, 'echo new >a; ln a b; echo changed >one')
    expect(facts.changes.map(({ path }) => path)).toEqual(expect.arrayContaining(['a', 'b', 'one']))
    expect([s.get('a'), s.get('b'), s.get('one')]).toEqual(['new\n', 'new\n', 'changed\n'])
    expect(lstatSync(join(s.root, 'a')).ino).not.toBe(lstatSync(join(s.root, 'b')).ino)
    await undo(s)
    expect([s.get('a'), s.get('b'), s.get('one'), s.get('two')]).toEqual([null, null, 'old\n', 'old\n'])
  })

  it('lands no bits that let files run with other rights, and no pipes, sockets or devices', async () => {
    const s = shop({ kept: 'kept' })
    const line =
      'cp /bin/true tool; chmod 6755 tool; mkfifo pipe; mknod null c 1 3 2>/dev/null || echo refused'
    const { facts, row } = await land(s, line)
    expect(facts.stdout).toBe('refused\n')
    expect(facts.changes).toEqual([{ path: 'tool', change: 'created' }])
    expect(lstatSync(join(s.root, 'tool')).mode & 0o7777).toBe(0o755)
    expect(facts.left_out).toEqual([{ path: 'pipe', why: 'it is a socket, a named pipe or a device' }])
    expect(JSON.stringify(row)).toContain('tool')
    expect(existsSync(join(s.root, 'pipe'))).toBe(false)
  })

  it('keeps a pipe that is there, also if it is removed', async () => {
    const s = shop({ kept: 'kept' })
    execFileSync('mkfifo', [join(s.root, 'pipe')])
    const { facts } = await land(s, 'rm pipe; echo 1 >n')
    expect(facts.changes).toEqual([{ path: 'n', change: 'created' }])
    expect(lstatSync(join(s.root, 'pipe')).isFIFO()).toBe(true)
  })

  it('keeps the owner of files that belong to somebody else, or cannot change them', async () => {
    const s = shop({ 'theirs/file': 'old\n' })
    const theirs = join(s.root, 'theirs')
    if (isRoot) for (const path of [theirs, join(theirs, 'file')]) chownSync(path, 1234, 1234)
    chmodSync(join(theirs, 'file'), 0o646)
    const ownerOf = (name: string) => lstatSync(join(theirs, name)).uid
    const [before] = [ownerOf('file')]
    await land(s, 'echo new >theirs/file')
    expect([s.get('theirs/file'), ownerOf('file')]).toEqual(['new\n', before])
    await undo(s)
    expect([s.get('theirs/file'), ownerOf('file')]).toEqual(['old\n', before])
  })

  it('of an ordinary user says that files of another owner cannot be changed', () => {
    const s = makeShop({ 'theirs/file': 'old\n' })
    onTestFinished(s.remove)
    const top = dirname(s.root)
    chmodSync(top, 0o755)
    const state = join(top, 'mine')
    mkdirSync(state)
    const [node, program] = ordinaryProgram(join(TOP, 'bin/tongs.cjs'))
    const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
    if (isRoot) for (const path of [state, s.root]) chownSync(path, NOBODY, NOBODY)
    else chmodSync(join(s.root, 'theirs/file'), 0o444)
    const args = JSON.stringify({ cmd: ['sh', '-c', 'echo new >theirs/file; cat theirs/file'] })
    const words = [program, 'call', 'run_shell', args, '--yes', '--no-input', '--root', s.root]
    const env = { ...s.env, TONGS_STATE_DIR: state, HOME: state, XDG_CONFIG_HOME: state }
    const { stdout, stderr } = spawnSync(node, words, { cwd: s.root, env, encoding: 'utf8', ...owner })
    expect(`${stdout}${stderr}`).toMatch(/Permission denied|Value too large/)
    expect(stdout).toContain('old')
    expect(s.get('theirs/file')).toBe('old\n')
  })
})
