import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { someOf } from '../../harness/long-run.ts'
import { codeOf, makeMachine, outputOf } from './machine.ts'
import type { Machine, MachineOptions } from './machine.ts'
import { putMarked } from './marked-file.ts'

/** Who runs the program, and on which layer: an ordinary user works on a copy where no overlay shows a file. */
const LAYERS = [
  ['root', 'overlay'],
  ['ordinary', 'overlay'],
  ['ordinary', 'copy'],
] as const
type On = (typeof LAYERS)[number]

function machineOn([user, layer]: On): Machine {
  const machine = makeMachine(user)
  if (layer === 'copy') putMarked(machine, 'marked', 'whiteout', '')
  return machine
}

interface Ran {
  readonly stdout: string
  readonly layer: string
  readonly changes?: readonly { readonly path: string; readonly change: string }[]
}

/** Runs a line of shell with further arguments of the call, and a person's consent, whatever comes of it. */
async function attempt(
  machine: Machine,
  line: string,
  args: Readonly<Record<string, unknown>> = {},
  options: MachineOptions = {},
): Promise<ToolResult | undefined> {
  const call = { name: 'run_shell', args: { cmd: ['sh', '-c', line], ...args } }
  return (await machine.batch([call], options))[0]
}

/** The same, where it has to run. */
async function run(...words: Parameters<typeof attempt>): Promise<Ran> {
  return outputOf(await attempt(...words)) as unknown as Ran
}

/** The names in a list of the settings, as an option. */
const set = (key: string, paths: readonly string[]): MachineOptions => ({
  words: ['--set', `${key}=${JSON.stringify(paths)}`],
})

const LOOK =
  'cat sub/.env sub/.aws/credentials sub/file .npmrc "$OLDPWD/way/.env" sub/plain 2>/dev/null; true'

/** A folder with denied content below the root, and a link to it outside. */
function putSecrets(machine: Machine): void {
  machine.put('work/sub/plain', 'plain')
  machine.put('work/sub/.env', 'SECRET-env ')
  machine.put('work/sub/.aws/credentials', 'SECRET-aws ')
  machine.put('work/sub/file', 'SECRET-link ')
  symlinkSync('sub/file', machine.at('work/.npmrc'))
  mkdirSync(machine.at('out'))
  symlinkSync(machine.at('work/sub'), machine.at('out/way'))
}

describe('a folder below the root that a command may read by a grant or a setting', () => {
  const look = (machine: Machine): string => LOOK.replace('$OLDPWD', machine.at('out'))

  it.for(someOf<On>(LAYERS, 1))('shows nothing denied (as %s on %s)', async (on) => {
    const machine = machineOn(on)
    putSecrets(machine)
    const sub = machine.at('work/sub')
    const seen = { stdout: 'plain', layer: on[1] }
    expect(await run(machine, look(machine), { read: [sub] })).toMatchObject(seen)
    expect(await run(machine, look(machine), {}, set('tools.shell.read', [sub]))).toMatchObject(seen)
    // By a link it shows outside of the root as well.
    const way = set('tools.shell.read', [machine.at('out/way')])
    expect(await run(machine, look(machine), {}, way)).toMatchObject(seen)
  })

  it('control: without a sandbox all of it shows', async () => {
    const machine = makeMachine('root')
    putSecrets(machine)
    const words = ['--set', 'tools.shell.sandbox=none']
    const { stdout } = await run(machine, look(machine), {}, { words })
    expect(stdout).toBe('SECRET-env SECRET-aws SECRET-link SECRET-link SECRET-env plain')
  })
})

describe('a link with a denied name that leads out of its root', () => {
  const SEE = 'cat .env .ssh/key 2>/dev/null; cat "OUT/plain"'
  const OVERWRITE = 'echo changed >.env; echo changed >.ssh/key; true'

  /** What the links lead to, in a folder beside the root. */
  function putBeside(machine: Machine): string {
    machine.put('beside/conf', 'SECRET-file ')
    machine.put('beside/keys/key', 'SECRET-folder ')
    machine.put('beside/plain', 'plain')
    symlinkSync('../beside/conf', machine.at('work/.env'))
    symlinkSync(machine.at('beside/keys'), machine.at('work/.ssh'))
    return machine.at('beside')
  }
  const contents = (machine: Machine): string =>
    ['conf', 'keys/key'].map((name) => readFileSync(machine.at(`beside/${name}`), 'utf8')).join('')
  const UNCHANGED = 'SECRET-file SECRET-folder '

  it.for(someOf<On>(LAYERS, 1))(
    'into what was granted shows nothing and writes nothing (as %s on %s)',
    async (on) => {
      const machine = machineOn(on)
      const beside = putBeside(machine)
      const see = SEE.replace('OUT', beside)
      const seen = { stdout: 'plain', layer: on[1] }
      expect(await run(machine, see, { read: [beside] })).toMatchObject(seen)
      expect(await run(machine, see, {}, set('tools.shell.read', [beside]))).toMatchObject(seen)
      expect(await run(machine, `${OVERWRITE}; ${see}`, { write: [beside] })).toMatchObject(seen)
      expect(contents(machine)).toBe(UNCHANGED)
    },
  )

  it.for(someOf<On>(LAYERS, 1))(
    'into another root shows nothing and changes nothing (as %s on %s)',
    async (on) => {
      const machine = machineOn(on)
      const beside = putBeside(machine)
      // One that comes back from there by a link in the other root.
      machine.put('work/back', 'SECRET-back ')
      symlinkSync('../work/back', machine.at('beside/way'))
      symlinkSync('../beside/way', machine.at('work/.npmrc'))
      const roots = set('tools.sandbox.allowed_roots', ['.', beside])
      const see = `${SEE.replace('OUT', beside)}; cat .npmrc back 2>/dev/null; true`
      const seen = { stdout: 'plain', layer: on[1] }
      expect(await run(machine, see, {}, roots)).toMatchObject(seen)
      await attempt(machine, `${OVERWRITE}; echo changed >.npmrc`, {}, roots)
      // A new name would show it to the next command.
      for (const path of [`${beside}/keys`, `${beside}/conf`, 'back'])
        await attempt(machine, `mv '${path}' '${beside}/shown'`, {}, roots)
      expect(contents(machine) + readFileSync(machine.at('work/back'), 'utf8')).toBe(
        `${UNCHANGED}SECRET-back `,
      )
      expect(await run(machine, see, {}, roots)).toMatchObject(seen)
    },
  )

  it('control: without a sandbox all of it shows', async () => {
    const machine = makeMachine('root')
    const see = SEE.replace('OUT', putBeside(machine))
    const { stdout } = await run(machine, see, {}, { words: ['--set', 'tools.shell.sandbox=none'] })
    expect(stdout).toBe(`${UNCHANGED}plain`)
  })
})

describe('a file below the root that a command was granted to write', () => {
  it.for(someOf<On>(LAYERS, 1))(
    'stays on the layer: it is a change, is undone, and is discarded (as %s on %s)',
    async (on) => {
      const machine = machineOn(on)
      const read = (name: string): string => readFileSync(machine.at(`work/${name}`), 'utf8')
      const granted = machine.put('work/granted', 'old')
      machine.put('work/other', 'old')
      const toml = machine.put('work/sub/.tongs.toml', '')
      const ran = await run(machine, 'echo new >granted; echo new >other', { write: [granted] })
      expect(ran).toMatchObject({
        layer: on[1],
        changes: [
          { path: 'granted', change: 'modified' },
          { path: 'other', change: 'modified' },
        ],
      })
      expect(read('granted')).toBe('new\n')
      await machine.tongs(['undo', '--yes'])
      expect(read('granted')).toBe('old')
      const stopped = await attempt(machine, 'echo half >granted; sleep 100', {
        write: [granted],
        timeout: 2,
      })
      expect(stopped?.execution.state).toBe('ROLLED_BACK')
      expect(read('granted')).toBe('old')
      expect(codeOf(await attempt(machine, 'echo >sub/.tongs.toml', { write: [toml] }))).not.toBe('ok')
      expect(read('sub/.tongs.toml')).toBe('')
    },
  )

  it('control: without a layer it is written at once', async () => {
    const machine = makeMachine('root')
    const granted = machine.put('work/granted', 'old')
    const options = { words: ['--set', 'tools.shell.layer=off'] }
    await attempt(machine, 'echo half >granted; sleep 100', { write: [granted], timeout: 2 }, options)
    expect(readFileSync(granted, 'utf8')).toBe('half\n')
  })
})

describe('a link with a denied name stops no command', () => {
  it.for(someOf<On>(LAYERS, 1))(
    'that leads into a folder which commands write directly: that shows nothing (as %s on %s)',
    async (on) => {
      const machine = machineOn(on)
      machine.put('work/dist/deep/real', 'SECRET-file ')
      machine.put('work/dist/keys/key', 'SECRET-folder ')
      symlinkSync('dist/deep/real', machine.at('work/.env'))
      symlinkSync('dist/keys', machine.at('work/.ssh'))
      const line =
        'cat .env dist/deep/real .ssh/key dist/keys/key 2>/dev/null; echo ran >dist/made; cat dist/made'
      const direct = set('tools.shell.passthrough', ['dist'])
      expect(await run(machine, line, {}, direct)).toMatchObject({ stdout: 'ran\n', layer: on[1] })
    },
  )

  const NOWHERE = [
    'missing/../plain',
    'plain/x',
    'missing/../../../..',
    `${'a'.repeat(300)}/x`,
    '.env/x',
  ] as const

  it.for(someOf<On>(LAYERS, 1))('that leads nowhere (as %s on %s)', async (on) => {
    const machine = machineOn(on)
    machine.put('work/plain', 'plain')
    for (const [at, target] of NOWHERE.entries()) symlinkSync(target, machine.at(`work/.env.${at}`))
    symlinkSync('.env', machine.at('work/.env'))
    expect(await run(machine, 'cat .env* 2>/dev/null; cat plain')).toMatchObject({
      stdout: 'plain',
      layer: on[1],
    })
  })
})

it.for<On>(LAYERS)(
  'a denied link that leads each program elsewhere starts no command (as %s on %s)',
  async (on) => {
    const machine = machineOn(on)
    machine.put('work/s/f', 'SECRET-content')
    symlinkSync('/proc/self/cwd/s/f', machine.at('work/.env'))
    const result = await attempt(machine, 'cat .env')
    expect(result).toMatchObject({ ok: false, error: { code: 'not_allowed' } })
    expect(JSON.stringify(result)).toContain('leads each program elsewhere')
    expect(JSON.stringify(result)).not.toContain('SECRET-content')
  },
)
