/**
 * Lands in two roots, the second on a disk that is full, and takes that back before anything got in place. Prints what came
 * of it as JSON. In a mount namespace of its own.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TOP } from '../../../scripts/run-tool.ts'

const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-full-'))
const mount = (...words: readonly string[]): void => void execFileSync('mount', words)
const [root, small] = [join(top, 'root'), join(top, 'small')]
for (const folder of [root, small, join(top, 'config')]) mkdirSync(folder)
mount('-t', 'tmpfs', '-o', 'size=2m', 'none', small)
writeFileSync(join(root, 'a'), 'mine\n')
writeFileSync(join(small, 'b'), 'mine\n')
const config = join(top, 'config.toml')
writeFileSync(config, `[tools.sandbox]\nallowed_roots = ${JSON.stringify([root, small])}\n`)

function tongs(...words: readonly string[]) {
  const env = {
    ...process.env,
    TONGS_STATE_DIR: join(top, 'state'),
    HOME: top,
    XDG_CONFIG_HOME: join(top, 'config'),
  }
  const { stdout, stderr, status } = spawnSync(join(TOP, 'bin/tongs'), [...words, '--config', config], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  return { said: stdout + stderr, status }
}

const files = () => ({ root: readdirSync(root), small: readdirSync(small) })

const line = `rm a; head -c 3000000 /dev/urandom > ${small}/big`
const call = tongs('call', 'run_shell', JSON.stringify({ cmd: ['sh', '-c', line] }), '--yes')
const waiting = files()
const undone = tongs('undo', '--yes')
const back = files()
mount('-o', 'remount,size=20m', small)
tongs('call', 'list_directory', '{"path":"."}')
const still = files()
const redone = tongs('redo', '--yes')
process.stdout.write(JSON.stringify({ call, waiting, undone, back, still, redone, again: files() }))
execFileSync('umount', [small])
execFileSync('rm', ['-rf', top])
