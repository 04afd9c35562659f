/**
 * Runs random changes on a layer, as root or as somebody else, lands what was read, and prints where the workspace then
 * differs from what the command saw. As `forgetful`, the last change is left out, which must be found.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { latin1Name } from '../../../src/host/root/exact-name.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'
import { randomNumbers, randomScript, seedWorkspace } from '../../host/layer/random-changes.ts'
import { landLiterally } from './land-literally.ts'
import { makeLayerBench } from './layer-bench.ts'

const [, , how = '', rounds = '1', firstSeed = '1'] = process.argv
if (how === 'ordinary') becomeOrdinary()

/** What does not land as the command left it. */
const ODD_WAYS = [
  'mkdir -p a/__pycache__ && echo c >a/__pycache__/m',
  'mkdir -p only/deep/__pycache__ && echo c >only/deep/__pycache__/m',
  'mkdir -p b/x && echo s >b/x/.env',
  'mkfifo a/pipe',
  'echo 9 >suid && chmod 4755 suid',
  'mkdir shut; echo 1 >shut/in; chmod 000 shut/in; chmod 100 shut',
  'git init -q repo',
  'echo 1 >h1; ln h1 h2; ln b/f b/h3',
  'mkdir -p c/sub/__pycache__; echo 1 >c/sub/__pycache__/m; echo 2 >c/sub/real',
]

/** Everything in a folder, by its path as Latin-1: kind, mode, content, and when a file was modified. */
function describeTree(top: string): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (path: string): void => {
    const folder = Buffer.from(`${top}/${path}`, 'latin1')
    for (const name of readdirSync(folder, 'latin1').toSorted()) {
      const inner = path === '' ? name : `${path}/${name}`
      const at = Buffer.from(`${top}/${inner}`, 'latin1')
      const stats = lstatSync(at, { bigint: true })
      const mode = Number(stats.mode & 0o7777n)
      if (stats.isSymbolicLink()) found.set(inner, `link to ${readlinkSync(at, 'latin1')}`)
      else if (stats.isDirectory()) {
        found.set(inner, `folder ${mode.toString(8)}`)
        if (isShut(mode, 0o500)) chmodSync(at, 0o700)
        visit(inner)
      } else if (stats.isFile()) {
        if (isShut(mode, 0o400)) chmodSync(at, 0o600)
        found.set(inner, `file ${mode.toString(8)} ${stats.mtimeNs} ${readFileSync(at, 'latin1')}`)
      } else found.set(inner, 'odd')
    }
  }
  visit('')
  return found
}

function isShut(mode: number, needed: number): boolean {
  return process.getuid?.() !== 0 && (mode & needed) !== needed
}

const NEVER_LANDS = /(?:^|\/)(?:\.env|__pycache__|\.git)(?:\/|$)/

/** What of a tree lands: without what is left out, and without new folders that held only what is thrown away. */
function landable(
  seen: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, string>,
): Map<string, string> {
  const kept = new Map<string, string>()
  for (const [path, text] of seen) {
    if (NEVER_LANDS.test(path) || text === 'odd') continue
    kept.set(path, text.replace(/^file [46](?=\d{3} )/, 'file '))
  }
  const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)
  for (const path of [...kept.keys()].toReversed()) {
    if (kept.get(path)?.startsWith('folder') !== true || before.get(path)?.startsWith('folder') === true)
      continue
    const heldThrown = [...seen.keys()].some((one) => isBelow(one, path) && /__pycache__\//.test(one))
    if (heldThrown && ![...kept.keys()].some((one) => isBelow(one, path))) kept.delete(path)
  }
  return kept
}

interface Fault {
  readonly seed: number
  readonly script: string
  readonly fault: string
}

async function runRound(seed: number): Promise<Fault | null> {
  const bench = makeLayerBench()
  try {
    seedWorkspace(bench.root, seed)
    const random = randomNumbers(seed + 3)
    const lines = randomScript(seed).split('\n')
    for (const way of ODD_WAYS) if (random(3) === 0) lines.splice(random(lines.length + 1), 0, way)
    const script = lines.join('\n')
    execFileSync('cp', ['-a', bench.root, join(bench.top, 'before')])
    bench.onLayer(script, { isSeen: true })
    const { changes } = await bench.read()
    landLiterally(how === 'forgetful' ? changes.slice(0, -1) : changes, join(bench.top, 'place'))
    const before = describeTree(join(bench.top, 'before'))
    const [wanted, got] = [landable(describeTree(bench.seen), before), describeTree(bench.root)]
    const changed = new Set(changes.map(({ path }) => latin1Name(path)))
    // A time stamp alone does not land.
    const comparable = (path: string, text?: string): string | undefined =>
      changed.has(path) ? text : text?.replace(/^(file \d+) \d+/, '$1')
    const first = [...wanted.keys(), ...got.keys()].find(
      (path) => comparable(path, wanted.get(path)) !== comparable(path, got.get(path)),
    )
    return first === undefined
      ? null
      : { seed, script, fault: `${first}: ${wanted.get(first)} was seen, ${got.get(first)} landed` }
  } catch (thrown) {
    return {
      seed,
      script: randomScript(seed),
      fault: thrown instanceof Error ? (thrown.stack ?? '') : 'unknown',
    }
  } finally {
    bench.remove()
  }
}

const faults: Fault[] = []
for (let seed = Number(firstSeed); seed < Number(firstSeed) + Number(rounds); seed++) {
  const fault = await runRound(seed)
  if (fault !== null) faults.push(fault)
}
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), faults }))
