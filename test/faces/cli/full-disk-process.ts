/** Lands on a small disk that is really full, and prints what came of it as JSON. In a mount namespace of its own. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TOP } from '../../../scripts/run-tool.ts'
import { compareFiles, describeFiles, withoutTimes } from '../../harness/layers/describe-files.ts'

const isFar = process.argv[2] === 'far'
const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-full-'))
const sh = (line: string, cwd: string): string =>
  execFileSync('sh', ['-ec', line], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
const small = join(top, 'small')
mkdirSync(small)
sh(`mount -t tmpfs -o size=24m none ${small}`, top)
// A root that is a mount of its own gets contents as copies; one beside its layers by renames.
const root = isFar ? small : join(small, 'root')
const stateDir = isFar ? join(top, 'state') : join(small, 'state')
mkdirSync(root, { recursive: true })
sh('mkdir old; for n in 1 2 3 4; do head -c 1000000 /dev/urandom > old/$n; done; echo one > a', root)

const WORK =
  'rm -r old; echo two > a; mkdir -p new/deep; for n in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > new/deep/$n; done; ln -s a link'

function tongs(...words: readonly string[]) {
  const env = { ...process.env, TONGS_STATE_DIR: stateDir, HOME: top, XDG_CONFIG_HOME: join(top, 'config') }
  const options = { cwd: root, env, encoding: 'utf8' } as const
  const { stdout, stderr, status } = spawnSync(join(TOP, 'bin/tongs'), [...words, '--root', root], options)
  return { said: stdout + stderr, status }
}

/** As much as there is room for. */
const FILLER = join(small, isFar ? '.filler' : 'filler')
const fill = (): void => void spawnSync('dd', ['if=/dev/zero', `of=${FILLER}`, 'bs=4096'])
const files = () =>
  new Map(
    [...describeFiles(root)].filter(([path]) => path !== '.filler' && !path.startsWith('.tongs-layers')),
  )

const before = files()
const asked = tongs('call', 'run_shell', JSON.stringify({ cmd: ['sh', '-c', WORK] }), '--no-input')
fill()
const full = tongs('approve', 'all', '--json')
const whileFull = compareFiles(before, files())
sh(`rm ${FILLER}`, top)
const listed = tongs('pending', '--json')
const again = listed.said.includes('"approvals":[]')
  ? tongs('log', '--json')
  : tongs('approve', 'all', '--json')
const landed = files()
const undone = tongs('undo', '--yes', '--session', 'cli')
const isBack = compareFiles(before, files())
const redone = tongs('redo', '--yes', '--session', 'cli')
const isAgain = compareFiles(withoutTimes(landed), withoutTimes(files()))
process.stdout.write(
  JSON.stringify({
    asked: asked.status,
    full: full.status,
    message: full.said,
    whileFull,
    again: again.status,
    landed: [...landed.keys()].toSorted(),
    undone: undone.status,
    isBack,
    redone: redone.status,
    isAgain,
  }),
)
sh(`umount ${small}; rm -rf ${top}`, '/')
