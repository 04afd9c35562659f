import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Attack, AttackBench } from './attacks.ts'

const SETTINGS = '# settings of its keeper 4711\n'

/** Runs a line in a workspace that holds settings of the keeper, and looks whether they were read or replaced. */
function onSettings(line: string): Attack {
  return async (bench) => {
    const root = makeRoot(bench)
    const file = join(root, 'cfg/tongs/config.toml')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, SETTINGS)
    const { stdout, stderr } = await runIn(bench, root, join(root, 'cfg/tongs'), line)
    if (!stdout.startsWith('began\n')) return `it did not run: ${stderr}`
    if (stdout.includes('4711')) return 'it read the settings'
    const isSame = existsSync(file) && lstatSync(file).isFile() && readFileSync(file, 'utf8') === SETTINGS
    return isSame && realpathSync(file) === file ? null : 'it replaced the settings'
  }
}

/** Runs a line in a workspace where settings of the keeper would be, and looks whether it could make any. */
function onMissing(line: string): Attack {
  return async (bench) => {
    const root = makeRoot(bench)
    const { stdout, stderr } = await runIn(bench, root, join(root, 'cfg/tongs'), line)
    // As its owner would, to look what is there.
    const folder = join(root, 'cfg')
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) chmodSync(folder, 0o755)
    if (!stdout.startsWith('began\n')) return `it did not run: ${stderr}`
    return existsSync(join(root, 'cfg/tongs/config.toml')) ? 'it made settings' : null
  }
}

function makeRoot({ root }: AttackBench): string {
  return mkdtempSync(join(dirname(root), 'own-'))
}

async function runIn(bench: AttackBench, root: string, own: string, line: string) {
  const confinement = bench.isOpen
    ? bench.open
    : await bench.confine({ roots: [root], own: [{ path: own, isReadable: false }] })
  return bench.sh(`echo began; ${line}`, { confinement, cwd: root })
}

/** What belongs to the keeper of a command: its settings inside a workspace, its pipes and its files. */
export const ownAttacks: Readonly<Record<string, Attack>> = {
  "read its keeper's settings": onSettings('cat cfg/tongs/config.toml; cp -r cfg copy; cat copy/tongs/*'),
  "write its keeper's settings": onSettings('echo x >cfg/tongs/config.toml'),
  "rename over its keeper's settings": onSettings('echo x >new; mv -f new cfg/tongs/config.toml'),
  "link its keeper's settings elsewhere": onSettings(
    'echo x >new; ln -sf ../../new cfg/tongs/config.toml; ln -f new cfg/tongs/config.toml',
  ),
  "keep a second name of its keeper's settings": onSettings(
    'ln cfg/tongs/config.toml other && echo x >other; ln -s cfg/tongs way; echo x >way/config.toml',
  ),
  "replace the folder of its keeper's settings": onSettings(
    'rm -rf cfg/tongs; mv cfg/tongs cfg/away; mkdir -p cfg/tongs; echo x >cfg/tongs/config.toml',
  ),
  "replace the folder above its keeper's settings": onSettings(
    'mv cfg away; mkdir -p cfg/tongs; echo x >cfg/tongs/config.toml',
  ),
  "swap the folder above its keeper's settings": onSettings(
    'mkdir -p new/tongs; echo x >new/tongs/config.toml; perl -e \'$a="new"; $b="cfg"; syscall(316, -100, $a, -100, $b, 2)\'; mv cfg away; ln -s new cfg',
  ),
  "make its keeper's settings": onMissing('mkdir -p cfg/tongs; echo x >cfg/tongs/config.toml'),
  "move its keeper's settings into place": onMissing(
    'mkdir -p new/tongs; echo x >new/tongs/config.toml; mv new cfg',
  ),
  "link its keeper's settings into place": onMissing(
    'mkdir -p new/tongs; echo x >new/tongs/config.toml; ln -s new cfg',
  ),
  "keep its keeper's settings in a folder that nobody may change": onMissing(
    'mkdir -p cfg/new; echo x >cfg/new/config.toml; perl -e \'rename "cfg/new", "cfg/tongs"; chmod 0555, "cfg"\'',
  ),
  "keep its keeper's settings where nobody may look": onMissing(
    'mkdir -p cfg/new; echo x >cfg/new/config.toml; perl -e \'rename "cfg/new", "cfg/tongs"; chmod 0, "cfg"\'',
  ),
  "take every name that its keeper's settings could be moved to": onMissing(
    'mkdir -p cfg/new; echo x >cfg/new/config.toml; touch cfg/tongs.refused; for i in $(seq 1000); do : >cfg/tongs.refused-$i; done; mv cfg/new cfg/tongs',
  ),
  'open the pipes of its keeper': async ({ sh }) => {
    // Its own pipes have low numbers; those of others are held by the process that started it.
    const { stdout } = await sh(
      'echo began; for f in /proc/[0-9]*/fd/[1-9][0-9]*; do case "$(readlink "$f")" in *tongs-run-*) echo OPEN; break;; esac; done',
    )
    return stdout.includes('OPEN') ? 'it saw a pipe of another command' : null
  },
  "find its keeper's files by name": async (bench) => {
    const { stdout } = await bench.sh(
      'find / -xdev \\( -name "tongs-run-*" -o -name "tongs-probe-*" \\) 2>/dev/null; ls /dev/shm',
    )
    return /tongs-(?:run|probe)-/.test(stdout) ? stdout.slice(0, 200) : null
  },
}
