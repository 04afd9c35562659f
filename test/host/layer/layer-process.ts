/**
 * Runs random changes on a layer, as root or as somebody else, and prints where the change set, applied to a copy of the
 * workspace, differs from what the command saw at its end. As `forgetful`, the last change is left out, which must be found.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readChangeSet } from '../../../src/host/layer/change-set.ts'
import type { LayerChange } from '../../../src/host/layer/layer-change.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'
import { applyChanges } from './apply-changes.ts'
import { randomScript, seedWorkspace } from './random-changes.ts'
import { describeTree } from './describe-tree.ts'

const [, , how = '', rounds = '1', firstSeed = '1'] = process.argv
if (how === 'ordinary') becomeOrdinary()

/** Mounts the layer, runs the script in it, and copies what it sees at the end. */
const ON_LAYER = `
set -e
exec 5<root 6<upper 7<work
mount -t overlay overlay -o "$1,lowerdir=/proc/self/fd/5,upperdir=/proc/self/fd/6,workdir=/proc/self/fd/7" merged
(cd merged && sh -c "$2" >/dev/null 2>&1) || true
cp -a merged seen
umount merged
`

interface Round {
  readonly seed: number
  readonly script: string
  readonly fault: string
}

async function runRound(seed: number): Promise<Round | null> {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-layer-'))
  const at = (name: string): string => join(top, name)
  try {
    for (const name of ['root', 'upper', 'work', 'merged']) mkdirSync(at(name))
    seedWorkspace(at('root'), seed)
    const script = randomScript(seed)
    const isRoot = process.getuid?.() === 0
    const options = isRoot ? 'redirect_dir=on,metacopy=off' : 'userxattr'
    const namespaces = isRoot ? ['-m'] : ['-Urm']
    execFileSync('unshare', [...namespaces, 'sh', '-c', ON_LAYER, 'sh', options, script], { cwd: top })
    execFileSync('cp', ['-a', at('root'), at('applied')])
    const [upper, lower] = [openRoot(at('upper')), openRoot(at('root'))]
    try {
      const changes: LayerChange[] = []
      const found = await readChangeSet({ upper, lower })
      for (const change of found.changes) if (change !== null && change.isSame !== true) changes.push(change)
      applyChanges(how === 'forgetful' ? changes.slice(0, -1) : changes, { upper, lower, to: at('applied') })
    } finally {
      upper.close()
      lower.close()
    }
    const [wanted, got] = [describeTree(at('seen')), describeTree(at('applied'))]
    const first = [...wanted.keys(), ...got.keys()].find((path) => wanted.get(path) !== got.get(path))
    return first === undefined
      ? null
      : { seed, script, fault: `${first}: ${wanted.get(first)} was seen, ${got.get(first)} was read` }
  } finally {
    execFileSync('chmod', ['-R', 'u+rwx', top])
    rmSync(top, { recursive: true, force: true })
  }
}

const faults: Round[] = []
for (let seed = Number(firstSeed); seed < Number(firstSeed) + Number(rounds); seed++) {
  const fault = await runRound(seed)
  if (fault !== null) faults.push(fault)
}
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), faults }))
