import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { syscallNumber } from '../../../src/host/confine/seccomp/syscall-numbers.ts'
import type { Syscall } from '../../../src/host/confine/seccomp/syscall-numbers.ts'
import type { Attack, AttackBench } from './attacks.ts'

const SET_ID = 0o6000
const MODES = [0o4755, 0o2755, 0o6755]
const CREATE = 0o101
const UNNAMED = 0o20200002
const REGULAR = 0o100000
const [MKDIR, MKDIRAT, LINKAT] = process.arch === 'x64' ? [83, 258, 265] : [null, 34, 37]

/** What a file in a folder of the workspace can do with the rights of its owner or group. */
function findSetId(folder: string): string | null {
  const found = readdirSync(folder).filter((name) => (lstatSync(join(folder, name)).mode & SET_ID) !== 0)
  return found.length === 0 ? null : `runs with the rights of another: ${found.join(', ')}`
}

/** Runs something in a folder of its own and looks at the modes of what it leaves there. */
async function leaves(
  { run, root }: AttackBench,
  folder: string,
  argv: readonly string[],
): Promise<string | null> {
  mkdirSync(join(root, folder))
  const { stdout, stderr } = await run(argv, { cwd: join(root, folder) })
  return stdout.startsWith('began') ? findSetId(join(root, folder)) : `it did not run: ${stderr}`
}

/** Makes a system call for each mode; `code` is Perl, given the number of the call, a name `$f` and a mode `$m`. */
function call(name: Syscall | 'mkdir' | 'mkdirat', code: (number: number) => string): Attack {
  const number =
    name === 'mkdir' ? MKDIR : name === 'mkdirat' ? MKDIRAT : syscallNumber(name, thisProcessor())
  return async (bench) => {
    if (number === null || number === undefined) return null
    const program = `umask 0; $| = 1; print "began"; for $m (${MODES.join(', ')}) { $f = sprintf "made-%o", $m; ${code(number)} }`
    return leaves(bench, `by-${name}-${++folders}`, ['perl', '-e', program])
  }
}

function thisProcessor(): 'x64' | 'arm64' {
  return process.arch === 'x64' ? 'x64' : 'arm64'
}

let folders = 0

const EXISTING = 'open(F, ">", $f);'

/** Every call that is given a mode, each with the bits that make a program run with the rights of another. */
export const modeAttacks: Readonly<Record<string, Attack>> = {
  'keep a shell by the usual programs': (bench) =>
    leaves(bench, 'by-programs', [
      'sh',
      '-c',
      'echo began; cp /bin/sh a; chmod u+s a; cp /bin/sh b; chmod 4755 b; install -m 4755 /bin/sh c; cp /bin/sh d; chmod g+s d; cp /bin/sh e; chmod 2755 e; install -m 2755 /bin/sh f; mkdir -m 2755 g',
    ]),
  'keep a shell by chmod': call('chmod', (number) => `${EXISTING} syscall(${number}, $f, $m+0);`),
  'keep a shell by fchmod': call('fchmod', (number) => `${EXISTING} syscall(${number}, fileno(F), $m+0);`),
  'keep a shell by fchmodat': call('fchmodat', (number) => `${EXISTING} syscall(${number}, -100, $f, $m+0);`),
  'keep a shell by fchmodat2': call(
    'fchmodat2',
    (number) => `${EXISTING} syscall(${number}, -100, $f, $m+0, 0);`,
  ),
  'keep a shell by open': call('open', (number) => `syscall(${number}, $f, ${CREATE}, $m+0);`),
  'keep a shell by openat': call('openat', (number) => `syscall(${number}, -100, $f, ${CREATE}, $m+0);`),
  'keep a shell by openat without a name': call(
    'openat',
    (number) =>
      `$dot = "."; $fd = syscall(${number}, -100, $dot, ${UNNAMED}, $m+0); $from = "/proc/self/fd/$fd"; syscall(${LINKAT}, -100, $from, -100, $f, 0x400);`,
  ),
  'keep a shell by openat2': call(
    'openat2',
    (number) => `$how = pack("Q3", ${CREATE}, $m, 0); syscall(${number}, -100, $f, $how, 24);`,
  ),
  'keep a shell by creat': call('creat', (number) => `syscall(${number}, $f, $m+0);`),
  'keep a shell by mknod': call('mknod', (number) => `syscall(${number}, $f, ${REGULAR} | $m, 0);`),
  'keep a shell by mknodat': call('mknodat', (number) => `syscall(${number}, -100, $f, ${REGULAR} | $m, 0);`),
  'keep the rights of a folder by mkdir': call('mkdir', (number) => `syscall(${number}, $f, $m+0);`),
  'keep the rights of a folder by mkdirat': call(
    'mkdirat',
    (number) => `syscall(${number}, -100, $f, $m+0);`,
  ),
}
