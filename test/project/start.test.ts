import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'
import { isSemanticVersion } from '../../src/core/version.ts'

const TONGS = join(TOP, 'bin', 'tongs')
const about = JSON.parse(readFileSync(join(TOP, 'package.json'), 'utf8')) as { version: string }

let box = ''
beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), 'tongs-start-'))
})
afterEach(() => rmSync(box, { recursive: true, force: true }))

interface End {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = box): End {
  // With the folder that the tests share, the program would not make one of its own.
  const { NODE_COMPILE_CACHE: _, ...usual } = process.env
  return spawnSync(file, args, { cwd, encoding: 'utf8', env: { ...usual, ...env } })
}

/** A checkout of its own, whose command line is the given code. */
function checkoutWith(main: string): string {
  const top = join(box, 'checkout')
  mkdirSync(join(top, 'bin'), { recursive: true })
  mkdirSync(join(top, 'src'), { recursive: true })
  for (const file of ['package.json', 'bin/tongs', 'bin/tongs.cjs', 'bin/help.txt', 'bin/help-commands.json'])
    copyFileSync(join(TOP, file), join(top, file))
  writeFileSync(join(top, 'src/tongs.ts'), main)
  return top
}

/** Runs the command line of such a checkout. */
function runMain(main: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): End {
  const top = checkoutWith(main)
  return run(process.execPath, [join(top, 'bin/tongs.cjs'), ...args], env, top)
}

/** Runs a bundle whose command line does nothing, as an installed package has one. */
function runBundle(env: NodeJS.ProcessEnv): End {
  const top = join(box, 'package')
  for (const folder of ['bin', 'dist/cli/build']) mkdirSync(join(top, folder), { recursive: true })
  for (const file of ['package.json', 'bin/tongs.cjs', 'bin/load-bundle.cjs'])
    copyFileSync(join(TOP, file), join(top, file))
  writeFileSync(join(top, 'dist/cli/signature'), 'installed\nbuild')
  writeFileSync(join(top, 'dist/cli/build/main.cjs'), 'exports.main = async () => 3\n')
  return run(process.execPath, [join(top, 'bin/tongs.cjs'), 'a'], env, top)
}

/** Code to load first that makes this Node look like an older one. */
function pretendOld(): string {
  const file = join(box, 'old.cjs')
  writeFileSync(
    file,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })",
  )
  return file
}

describe('asking for the version and for help', () => {
  it.for(['--version', '-V'])('%s prints name and version', (word) => {
    expect(run(TONGS, [word])).toMatchObject({ status: 0, stdout: `tongs ${about.version}\n`, stderr: '' })
  })

  it.for([[['--version', '--json']], [['--json', '-V']]] as const)(
    'R-VER: %j names the contract by a semantic version',
    ([args]) => {
      const answer = JSON.parse(run(TONGS, args).stdout) as Record<string, string>
      expect(answer).toEqual({
        name: 'tongs',
        version: about.version,
        contract: answer['contract'],
        node: answer['node'],
      })
      expect(isSemanticVersion(answer['contract'] ?? '')).toBe(true)
      expect(answer['node']).toMatch(/^\d+\.\d+\.\d+$/)
    },
  )

  it.for(['--help', '-h', 'help'])('%s prints the help', (word) => {
    expect(run(TONGS, [word])).toMatchObject({
      status: 0,
      stdout: readFileSync(join(TOP, 'bin/help.txt'), 'utf8'),
    })
  })

  it.for([
    ['undo', '--help'],
    ['help', 'undo'],
    ['undo', 'x', '--help'],
    ['undo', '-h'],
  ])('%j prints the help of a command', (words) => {
    const { status, stdout } = run(TONGS, words)
    expect(status).toBe(0)
    expect(stdout).toContain('usage: tongs undo ')
    expect(stdout).toContain('--merge')
    expect(stdout).not.toContain('tongs setup')
  })

  it('prints all of it where options alone are given', () => {
    expect(run(TONGS, ['--root', 'x', '--help']).stdout).toBe(readFileSync(join(TOP, 'bin/help.txt'), 'utf8'))
  })

  it.for([
    ['nosuch', '--help'],
    ['help', '__proto__'],
    ['constructor', '-h'],
  ])('%j says that there is no such command', (words) => {
    const { status, stderr } = run(TONGS, words)
    expect(status).toBe(2)
    expect(stderr).toMatch(/^tongs: unknown command "(nosuch|__proto__|constructor)"/)
  })

  it('neither needs the rest of the product, nor leaves a trace', () => {
    const top = checkoutWith('this is no code')
    const env = { TONGS_STATE_DIR: join(box, 'state') }
    for (const word of ['--version', '--help'])
      expect(run(process.execPath, [join(top, 'bin/tongs.cjs'), word], env).status).toBe(0)
    expect(existsSync(join(box, 'state'))).toBe(false)
  })
})

describe('bin/tongs', () => {
  it('is found through links, whatever the folder', () => {
    mkdirSync(join(box, 'far/off'), { recursive: true })
    symlinkSync(TONGS, join(box, 'far/tongs'))
    symlinkSync('../tongs', join(box, 'far/off/again'))
    symlinkSync(join(box, 'far/off'), join(box, 'near'))
    for (const name of ['far/tongs', './far/off/again', 'near/again', 'near/../tongs']) {
      expect(run(name, ['--version'])).toMatchObject({ status: 0, stderr: '' })
    }
    expect(run('tongs', ['-V'], { PATH: `${join(box, 'far')}:${process.env['PATH'] ?? ''}` }).status).toBe(0)
  })

  it('prefers the pinned Node to the one on PATH', () => {
    const top = checkoutWith('')
    for (const [folder, word] of [
      ['node_modules/node/bin', 'pinned'],
      ['path', 'found'],
    ] as const) {
      mkdirSync(join(top, folder), { recursive: true })
      writeFileSync(join(top, folder, 'node'), `#!/bin/sh\necho ${word} "$@"\n`, { mode: 0o755 })
    }
    const env = { PATH: `${join(top, 'path')}:/usr/bin:/bin` }
    const script = join(top, 'bin', 'tongs.cjs')
    expect(run(join(top, 'bin/tongs'), ['a b'], env).stdout).toBe(`pinned --disable-sigusr1 ${script} a b\n`)
    expect(run(join(top, 'bin/tongs'), ['call', 'a b'], env).stdout).toBe(
      `pinned --min-semi-space-size=16 --disable-sigusr1 ${script} call a b\n`,
    )
    rmSync(join(top, 'node_modules'), { recursive: true })
    expect(run(join(top, 'bin/tongs'), ['a b'], env).stdout).toBe(`found ${script} a b\n`)
  })

  it('says what to do where there is no Node at all', () => {
    const end = run('/bin/sh', [join(checkoutWith(''), 'bin/tongs'), '--version'], { PATH: box })
    expect(end).toMatchObject({ status: 2, stdout: '' })
    expect(end.stderr).toContain('npm ci')
  })

  it('says that links go in a circle', () => {
    symlinkSync('two', join(box, 'one'))
    symlinkSync('one', join(box, 'two'))
    const script = readFileSync(TONGS, 'utf8')
    const end = run('/bin/sh', ['-c', script, join(box, 'one')])
    expect(end.status).toBe(2)
    expect(end.stderr).toContain('loop')
  })
})

describe('a Node that is too old', () => {
  it('is told so by the command', () => {
    const end = run(process.execPath, ['-r', pretendOld(), join(TOP, 'bin/tongs.cjs'), 'tools'])
    expect(end).toMatchObject({ status: 2, stdout: '' })
    expect(end.stderr).toContain('needs Node 24 or newer; this is 20.1.0')
  })

  it('is told so by the scripts', () => {
    const guard = join(TOP, 'scripts/require-node.cjs')
    const end = run(process.execPath, ['-r', pretendOld(), '-r', guard, '-e', 'console.log(1)'])
    expect(end).toMatchObject({ status: 2, stdout: '' })
    expect(end.stderr).toContain('--ignore-scripts')
  })
})

describe('running a command', () => {
  const ECHO = 'export async function main(argv: string[]) { console.log(argv.join()); return 3 }'

  it('hands over the words and gives back the exit code', () => {
    expect(runMain(ECHO, ['call', 'x y'])).toMatchObject({ status: 3, stdout: 'call,x y\n', stderr: '' })
  })

  it('keeps compiled code in the state folder, for its owner alone', () => {
    const state = join(box, 'deep/state')
    runBundle({ TONGS_STATE_DIR: state })
    expect(statSync(join(state, 'compile-cache')).mode & 0o777).toBe(0o700)
    runBundle({ TONGS_STATE_DIR: '', XDG_STATE_HOME: join(box, 'xdg') })
    expect(existsSync(join(box, 'xdg/tongs/compile-cache'))).toBe(true)
    runBundle({ XDG_STATE_HOME: 'relative', HOME: join(box, 'home') })
    expect(existsSync(join(box, 'home/.local/state/tongs/compile-cache'))).toBe(true)
  })

  it('keeps none where others or tools could write, and runs all the same', () => {
    const cache = join(box, 'state/compile-cache')
    mkdirSync(cache, { recursive: true })
    chmodSync(cache, 0o777)
    expect(runBundle({ TONGS_STATE_DIR: join(box, 'state') }).status).toBe(3)
    expect(spawnSync('ls', ['-A', cache], { encoding: 'utf8' }).stdout).toBe('')
    const inside = join(box, 'package/state')
    expect(runBundle({ TONGS_STATE_DIR: inside }).status).toBe(3)
    expect(existsSync(inside)).toBe(false)
    writeFileSync(join(box, 'file'), '')
    expect(runBundle({ TONGS_STATE_DIR: join(box, 'file/below') })).toMatchObject({ status: 3, stderr: '' })
  })

  it('keeps none if the environment has Node keep it or forbids it, and none of sources', () => {
    const state = join(box, 'state')
    for (const name of ['NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE'])
      expect(runBundle({ TONGS_STATE_DIR: state, [name]: join(box, 'cache') }).status).toBe(3)
    expect(runMain(ECHO, ['a'], { TONGS_STATE_DIR: state }).status).toBe(3)
    expect(existsSync(state)).toBe(false)
  })

  it('goes on quietly when its reader has gone', () => {
    const top = checkoutWith(`import { writeFileSync } from 'node:fs'
      export async function main() {
        for (let line = 0; line < 50_000; line += 1) process.stdout.write('line ' + line + '\\n')
        writeFileSync('done', '')
        return 0
      }`)
    const end = run('/bin/sh', ['-c', `'${process.execPath}' '${top}/bin/tongs.cjs' x | head -1`])
    expect(end).toMatchObject({ status: 0, stdout: 'line 0\n', stderr: '' })
    expect(existsSync(join(box, 'done'))).toBe(true)
  })

  it('fails when its answer cannot be written', () => {
    for (const words of ['x', '--version']) {
      const end = run('/bin/sh', [
        '-c',
        `'${process.execPath}' '${checkoutWith(ECHO.replace('3', '0'))}/bin/tongs.cjs' ${words} > /dev/full`,
      ])
      expect(end.status).toBe(1)
      expect(end.stderr).toContain('cannot write the output')
    }
  })

  it('says which part is missing', () => {
    const end = runMain("import 'no-such-package'\nexport const main = 1")
    expect(end.status).toBe(2)
    expect(end.stderr).toMatch(/no-such-package.*npm ci/)
  })

  it('shows a fault of its own without its control characters', () => {
    const end = runMain("export async function main() { throw new Error('bad \\u001b[31m \\u202e') }")
    expect(end.status).toBe(1)
    expect(end.stderr).toContain('bad \\u{1b}[31m \\u{202e}')
  })
})
