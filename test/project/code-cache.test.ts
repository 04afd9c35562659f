import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'

const HONEST = "exports.main = async (argv) => (console.log('honest', argv.join()), 0)\n"
const POISON = HONEST.replace('honest', 'poison')
const HONEST_END = { status: 0, stdout: 'honest call,a\n', stderr: '' }
const KEY = Buffer.alloc(32, 'k')
const LENGTH_BYTES = 4
const HEADER_BYTES = LENGTH_BYTES + 32
const HOUR_S = 3600

let box = ''
beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), 'tongs-code-'))
  mkdirSync(join(box, 'package/bin'), { recursive: true })
  mkdirSync(join(box, 'package/dist/cli/build'), { recursive: true })
  mkdirSync(join(box, 'work'))
  for (const file of ['package.json', 'bin/tongs.cjs', 'bin/load-bundle.cjs'])
    copyFileSync(join(TOP, file), join(box, 'package', file))
  writeFileSync(join(box, 'package/dist/cli/signature'), 'installed\nbuild')
  mkdirSync(join(box, 'state'), { mode: 0o700 })
  writeFileSync(keyFile(), KEY, { mode: 0o600 })
})
afterEach(() => rmSync(box, { recursive: true, force: true }))

function keyFile(): string {
  return join(box, 'state/key')
}

/** Makes the given code a file of the bundle. */
function write(code: string, name = 'main.cjs'): void {
  writeFileSync(join(box, 'package/dist/cli/build', name), code)
}

function run(...args: readonly string[]) {
  // With the folder that the tests share, the program would not use its own.
  const { NODE_COMPILE_CACHE: _, ...usual } = process.env
  const env = { ...usual, TONGS_STATE_DIR: join(box, 'state') }
  const words = [join(box, 'package/bin/tongs.cjs'), ...args]
  return spawnSync(process.execPath, words, { cwd: join(box, 'work'), encoding: 'utf8', env })
}

function cacheFolder(): string {
  return join(box, 'state/compile-cache/tongs')
}

function cacheFiles(): readonly string[] {
  return readdirSync(cacheFolder()).map((name) => join(cacheFolder(), name))
}

function onlyFile(): string {
  const files = cacheFiles()
  expect(files).toHaveLength(1)
  return files[0] ?? ''
}

interface Index {
  readonly about: string
  readonly chunks: [name: string, sourceSum: number, length: number, digest: string][]
}

function indexOf(bytes: Buffer): Index {
  return JSON.parse(bytes.toString('utf8', HEADER_BYTES, HEADER_BYTES + bytes.readUInt32LE(0))) as Index
}

/** Leaves code of another program, sound in every respect: only its owner, its mode or its seal could give it away. */
function poison(key = KEY): string {
  write(POISON)
  run('call', 'a')
  const file = onlyFile()
  const bytes = readFileSync(file)
  const { about, chunks } = indexOf(bytes)
  const edited = chunks.map(([name, , length, digest]) => [name, crc32(HONEST), length, digest])
  const index = Buffer.from(JSON.stringify({ about, chunks: edited }))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(index.length, 0)
  const seal = createHmac('sha256', key).update('tongs code 1\n').update(index).digest()
  const codes = bytes.subarray(HEADER_BYTES + bytes.readUInt32LE(0))
  writeFileSync(file, Buffer.concat([length, seal, index, codes]))
  write(HONEST)
  return file
}

describe('the code that a command compiled', () => {
  it('is kept for its owner alone, and run by the next command of its kind', () => {
    const file = poison()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(cacheFolder()).mode & 0o777).toBe(0o700)
    const before = statSync(file).ino
    expect(run('call', 'a').stdout).toBe('poison call,a\n')
    expect(statSync(file).ino).toBe(before)
  })

  it('is not run if another program wrote it, which has no key', () => {
    const file = poison(Buffer.alloc(32, 'other'))
    expect(run('call', 'a')).toMatchObject(HONEST_END)
    // What is kept instead is ours.
    expect(readFileSync(file).subarray(LENGTH_BYTES, HEADER_BYTES)).toEqual(
      createHmac('sha256', KEY)
        .update('tongs code 1\n')
        .update(JSON.stringify(indexOf(readFileSync(file))))
        .digest(),
    )
  })

  it('is not run if a code in it was exchanged, although its index is ours', () => {
    write(POISON)
    run('call', 'a')
    const poisoned = readFileSync(onlyFile())
    write(HONEST)
    rmSync(onlyFile())
    run('call', 'a')
    const ours = readFileSync(onlyFile())
    const end = HEADER_BYTES + ours.readUInt32LE(0)
    const codes = poisoned.subarray(HEADER_BYTES + poisoned.readUInt32LE(0))
    expect(codes).toHaveLength(ours.length - end)
    writeFileSync(onlyFile(), Buffer.concat([ours.subarray(0, end), codes]))
    expect(run('call', 'a')).toMatchObject(HONEST_END)
  })

  it.each<[string, () => void]>([
    ['there is none', () => rmSync(keyFile())],
    ['it is cut short', () => writeFileSync(keyFile(), KEY.subarray(1))],
    ['others may write it', () => chmodSync(keyFile(), 0o622)],
    [
      'it is a link',
      () => {
        renameSync(keyFile(), join(box, 'key'))
        symlinkSync(join(box, 'key'), keyFile())
      },
    ],
  ])('is neither run nor kept without a key: %s', (_, spoil) => {
    const file = poison()
    spoil()
    expect(run('call', 'a')).toMatchObject(HONEST_END)
    rmSync(file)
    expect(run('call', 'a')).toMatchObject(HONEST_END)
    expect(cacheFiles()).toEqual([])
  })

  it('is not kept by Node besides, whose own files have no seal', () => {
    mkdirSync(join(box, 'package/node_modules/other'), { recursive: true })
    writeFileSync(join(box, 'package/node_modules/other/index.js'), "exports.word = 'other'\n")
    write("exports.main = async () => (console.log(require('other').word), 0)\n")
    for (const leftover of ['v24.0.0-x64-00000000-0', 'tongs'])
      mkdirSync(join(box, 'state/compile-cache', leftover), { recursive: true, mode: 0o700 })
    writeFileSync(join(box, 'state/compile-cache/v24.0.0-x64-00000000-0/00000000'), 'x')
    expect(run('call', 'a').stdout).toBe('other\n')
    expect(readdirSync(join(box, 'state/compile-cache'))).toEqual(['tongs'])
  })

  const DANGERS: [string, (file: string) => void][] = [
    ['the group may write it', (file) => chmodSync(file, 0o620)],
    ['everyone may write it', (file) => chmodSync(file, 0o602)],
    [
      'it is a link',
      (file) => {
        renameSync(file, join(box, 'elsewhere'))
        symlinkSync(join(box, 'elsewhere'), file)
      },
    ],
  ]
  it.for(DANGERS)('is not run if %s, but replaced', ([, make]) => {
    make(poison())
    expect(run('call', 'a')).toMatchObject(HONEST_END)
    expect(statSync(onlyFile()).mode & 0o777).toBe(0o600)
    expect(run('call', 'a')).toMatchObject(HONEST_END)
  })

  it.runIf(process.getuid?.() === 0)('is not run if it belongs to another user', () => {
    chownSync(poison(), 65_534, 65_534)
    expect(run('call', 'a')).toMatchObject(HONEST_END)
    expect(statSync(onlyFile()).uid).toBe(0)
    poison()
    chownSync(cacheFolder(), 65_534, 65_534)
    expect(run('call', 'a')).toMatchObject(HONEST_END)
  })

  it.runIf(process.getuid?.() === 0)('makes no folder in the home of another user', () => {
    write(HONEST)
    const home = join(box, 'home')
    mkdirSync(home)
    chownSync(home, 12_345, 12_345)
    const {
      NODE_COMPILE_CACHE: _cache,
      TONGS_STATE_DIR: _state,
      XDG_STATE_HOME: _xdg,
      ...usual
    } = process.env
    const start = () =>
      spawnSync(process.execPath, [join(box, 'package/bin/tongs.cjs'), 'call', 'a'], {
        cwd: join(box, 'work'),
        env: { ...usual, HOME: home },
      })
    start()
    expect(readdirSync(home)).toEqual([])
    // Control: in a home of our own it does.
    chownSync(home, 0, 0)
    start()
    expect(readdirSync(home)).toEqual(['.local'])
  })

  it('is not run if others may write its folder', () => {
    poison()
    chmodSync(cacheFolder(), 0o777)
    expect(run('call', 'a')).toMatchObject(HONEST_END)
  })

  it('is not run if others may rename a folder above its own', () => {
    poison()
    chmodSync(join(box, 'state'), 0o777)
    expect(run('call', 'a')).toMatchObject(HONEST_END)
    chmodSync(join(box, 'state'), 0o1777)
    expect(run('call', 'a').stdout).toBe('poison call,a\n')
  })

  it('is not run for another source, not even one of the same length', () => {
    write(POISON)
    run('call', 'a')
    write(HONEST)
    expect(run('call', 'a')).toMatchObject(HONEST_END)
  })

  it('does no harm where it is torn, damaged or something else', () => {
    write(HONEST)
    run('call', 'a')
    const file = onlyFile()
    const sound = readFileSync(file)
    const length = sound.length
    const damages: (Buffer | null)[] = [0, 3, HEADER_BYTES, 40, length / 2, length - 1].map((end) =>
      sound.subarray(0, end),
    )
    for (const position of [0, 2, 5, HEADER_BYTES + 5, length - 500, length - 1]) {
      const changed = Buffer.from(sound)
      changed[position] = (changed[position] ?? 0) ^ 0x55
      damages.push(changed)
    }
    for (const damage of [...damages, null]) {
      rmSync(file, { force: true })
      if (damage === null) mkdirSync(file)
      else writeFileSync(file, damage, { mode: 0o600 })
      expect(run('call', 'a')).toMatchObject(HONEST_END)
      if (damage !== null) expect(run('call', 'a', 'again').stdout).toBe('honest call,a,again\n')
      if (damage !== null) expect(indexOf(readFileSync(file)).about).toBe(indexOf(sound).about)
    }
    expect(cacheFiles()).toEqual([file])
  })

  it('is not kept after a failure, nor where there is no room for it, and no command fails for that', () => {
    write('exports.main = async () => 3\n')
    expect(run('call', 'a').status).toBe(3)
    expect(cacheFiles()).toEqual([])
    write(HONEST)
    rmSync(cacheFolder(), { recursive: true })
    writeFileSync(cacheFolder(), '')
    expect(run('call', 'a')).toMatchObject(HONEST_END)
  })
})

describe('the files of compiled code', () => {
  it('are one for each kind of command, and one for odd words', () => {
    write(HONEST)
    for (const words of [['call', 'a'], ['call', 'b'], ['log'], ['call', 'a', 'x'], ['--x'], ['A b']])
      run(...words)
    const kinds = cacheFiles().map((file) => indexOf(readFileSync(file)).about.split('\n')[2])
    expect(kinds.toSorted()).toEqual(['', 'call a', 'call b', 'log'])
  })

  it('are at most 24: an older one gives way after an hour, and after a week in any case', () => {
    write(HONEST)
    run('log')
    const aged = (name: string, hours: number): void => {
      const at = Date.now() / 1000 - hours * HOUR_S
      writeFileSync(join(cacheFolder(), name), '')
      utimesSync(join(cacheFolder(), name), at, at)
    }
    for (let count = 1; count < 24; count++) aged(`young-${count}`, 0)
    expect(run('call', 'a')).toMatchObject(HONEST_END)
    expect(cacheFiles()).toHaveLength(24)
    aged('young-1', 2)
    run('call', 'a')
    expect(cacheFiles()).toHaveLength(24)
    expect(cacheFiles()).not.toContain(join(cacheFolder(), 'young-1'))
    for (let count = 2; count < 24; count++) aged(`young-${count}`, 7 * 24 + 1)
    run('call', 'b')
    expect(cacheFiles()).toHaveLength(3)
  })

  it('gain what a later command loads besides', () => {
    write("exports.main = async ([, , name]) => (console.log(name ? require(name).word : 'none'), 0)\n")
    write("exports.word = 'one'\n", 'one.cjs')
    write("exports.word = 'two'\n", 'two.cjs')
    const chunks = (): readonly string[] => indexOf(readFileSync(onlyFile())).chunks.map(([name]) => name)
    expect(run('call', 'a').stdout).toBe('none\n')
    expect(chunks()).toEqual(['main.cjs'])
    expect(run('call', 'a', './one.cjs').stdout).toBe('one\n')
    expect(run('call', 'a', './two.cjs').stdout).toBe('two\n')
    expect(chunks().toSorted()).toEqual(['main.cjs', 'one.cjs', 'two.cjs'])
    const before = statSync(onlyFile()).ino
    expect(run('call', 'a', './one.cjs').stdout).toBe('one\n')
    expect(statSync(onlyFile()).ino).toBe(before)
  })
})

describe('a bundle that is run with its compiled code', () => {
  it('finds its folder, built-in modules, its packages, and parts that import one another', () => {
    mkdirSync(join(box, 'package/node_modules/other'), { recursive: true })
    writeFileSync(
      join(box, 'package/node_modules/other/package.json'),
      '{"type":"module","exports":"./a.js"}',
    )
    writeFileSync(join(box, 'package/node_modules/other/a.js'), "export const word = 'other'\n")
    write(`exports.name = 'main'
const part = require('./part.cjs')
exports.main = async () => {
  const { word } = await importPackage('other')
  console.log(word, require('other').word, part.of(), __dirname === require('node:path').dirname(__filename), __filename)
  return 0
}
`)
    write("const main = require('./main.cjs')\nexports.of = () => `part of ${main.name}`\n", 'part.cjs')
    const file = join(box, 'package/dist/cli/build/main.cjs')
    for (let turn = 0; turn < 2; turn++)
      expect(run('call', 'a')).toMatchObject({
        status: 0,
        stdout: `other other part of main true ${file}\n`,
        stderr: '',
      })
  })

  it('shows a fault at its line and column', () => {
    write(`exports.main = async ([, , isBad]) => {
  if (isBad) throw new Error('bad')
  return 0
}
`)
    for (let turn = 0; turn < 2; turn++) {
      run('call', 'a')
      const { status, stderr } = run('call', 'a', 'yes')
      expect(status).toBe(1)
      expect(stderr).toContain(`internal error: Error: bad\n    at exports.main`)
      expect(stderr).toContain(`${join(box, 'package/dist/cli/build/main.cjs')}:2:20)`)
    }
  })

  it('says what to do if a part is missing', () => {
    write("exports.main = async () => require('./gone.cjs')\n")
    const { status, stderr } = run('call', 'a')
    expect(status).toBe(2)
    expect(stderr).toMatch(/gone\.cjs.*npm ci/)
  })
})
