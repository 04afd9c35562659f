/** Lays out a workspace on real mounts, runs the program on it, and prints what came of it as JSON. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NOBODY, ordinaryProgram } from '../../harness/ordinary-user.ts'
import { TOP } from '../../../scripts/run-tool.ts'

const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-mounts-'))
const at = (name: string): string => join(top, name)
const sh = (line: string, cwd = top): string => execFileSync('sh', ['-ec', line], { cwd, encoding: 'utf8' })
/** Whether the program is run by another user than the one who mounts. */
const isForOther = process.argv[4] === 'other'
const giveAway = (): void => {
  chmodSync(top, 0o755)
  if (isForOther) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, top])
}
const overlayOptions = process.argv[3] === 'root' ? '' : 'userxattr,'

/** Everything about the files of a root but the times of folders and links. */
const describe = (root: string): string =>
  sh(
    `{ find . -type f -printf '%p %U:%G %m %s %T@\\n'; find . ! -type f -printf '%p %U:%G %m %y %l\\n'; } | LC_ALL=C sort`,
    root,
  )

interface Row {
  readonly ok?: boolean
  readonly layer?: string
  readonly stdout?: string
  readonly changes?: readonly { readonly path: string }[]
}

function tongs(
  root: string,
  stateDir: string,
  words: readonly string[],
): { readonly out: string; readonly err: string } {
  const env = { ...process.env, TONGS_STATE_DIR: stateDir, HOME: at('home'), XDG_CONFIG_HOME: at('config') }
  const [node, program] = ordinaryProgram(join(TOP, 'bin/tongs.cjs'))
  const { stdout, stderr } = spawnSync(node, [program, ...words, '--no-input', '--root', root], {
    cwd: root,
    env,
    encoding: 'utf8',
    ...(isForOther ? { uid: NOBODY, gid: NOBODY } : {}),
  })
  return { out: stdout, err: stderr }
}

const run = (root: string, stateDir: string, line: string, ...words: readonly string[]) => {
  const args = JSON.stringify({ cmd: ['sh', '-c', line] })
  const { out, err } = tongs(root, stateDir, [
    'call',
    'run_shell',
    args,
    '--yes',
    '--set',
    'tools.output.style=json',
    ...words,
  ])
  const row = (out.startsWith('{') ? JSON.parse(out) : {}) as Row
  return {
    layer: row.layer,
    said: row.stdout,
    changes: row.changes?.map(({ path }) => path),
    err: err.trim(),
  }
}

const fill = (root: string): void => {
  sh(
    `mkdir src; echo one >a; chmod 640 a; echo x >src/x; touch -d '2001-02-03 04:05:06.123456789' src/x
ln -s a link; echo SECRET >.env; mkfifo pipe; printf odd >"$(printf 'odd-\\377')"`,
    root,
  )
}
const LINE = 'cat .env; echo two >a; echo new >n; mv src moved; ln -sf n link; rm odd*; cat a moved/x'

/** Changes, takes back and repeats, and says what the workspace was like each time. */
function goThrough(root: string, stateDir: string) {
  const before = describe(root)
  const { err, ...ran } = run(root, stateDir, LINE)
  const landed = describe(root)
  tongs(root, stateDir, ['undo', '--yes'])
  const undone = describe(root)
  tongs(root, stateDir, ['redo', '--yes'])
  return {
    ...ran,
    a: readFileSync(join(root, 'a'), 'utf8'),
    isUndone: undone === before,
    isRedone: describe(root) === landed,
    leftovers: readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('.tongs'),
    ),
    err,
  }
}

const stories: Readonly<Record<string, () => unknown>> = {
  container() {
    for (const name of ['lower', 'upper', 'work', 'merged']) mkdirSync(at(name))
    sh(`mount -t overlay overlay -o ${overlayOptions}lowerdir=lower,upperdir=upper,workdir=work merged`)
    mkdirSync(at('merged/root'))
    fill(at('merged/root'))
    const stateDir = at('merged/state')
    const doctor = tongs(at('merged/root'), stateDir, ['doctor', '--json']).out
    const through = goThrough(at('merged/root'), stateDir)
    const denied = run(at('merged/root'), stateDir, 'rm .env')
    writeFileSync(at('merged/root/large'), 'x'.repeat(5_000))
    const small = run(at('merged/root'), stateDir, 'true', '--set', 'tools.shell.layer_copy_max_bytes=1000')
    return {
      ...through,
      doctor: /"command_layer":"([^.:]*)/.exec(doctor)?.[1],
      denied: denied.err.split('\n')[0],
      isKept: existsSync(at('merged/root/.env')),
      small: small.layer,
    }
  },
  tmpfs() {
    mkdirSync(at('root'))
    sh('mount -t tmpfs none root')
    fill(at('root'))
    return goThrough(at('root'), at('state'))
  },
  bind() {
    mkdirSync(at('root'))
    mkdirSync(at('real'))
    sh('mount --bind real root')
    fill(at('root'))
    return goThrough(at('root'), at('state'))
  },
  plain() {
    for (const name of ['root', 'state']) mkdirSync(at(name))
    fill(at('root'))
    giveAway()
    return goThrough(at('root'), at('state'))
  },
  covered() {
    mkdirSync(at('root/mounted/inner'), { recursive: true })
    mkdirSync(at('root/out/inner'), { recursive: true })
    mkdirSync(at('root/.ssh'))
    for (const name of ['other/inner', 'more', 'keys', 'state']) mkdirSync(at(name), { recursive: true })
    for (const name of [
      'root/file',
      'root/device',
      'root/out/inner/.env',
      'other/inner/.env',
      'other/inner/under',
    ])
      writeFileSync(at(name), 'COVERED')
    writeFileSync(at('more/file'), 'mounted ')
    writeFileSync(at('keys/id'), 'KEY')
    giveAway()
    sh(
      'mount --bind other root/mounted; mount --bind more root/mounted/inner; mount --bind more root/out/inner',
    )
    sh('mount --bind more/file root/file; mount --bind /dev/null root/device; mount --bind keys root/.ssh')
    const { layer, said } = run(
      at('root'),
      at('state'),
      'cat mounted/inner/file out/inner/file file; cat device .ssh/id; find . -name under -o -name id; grep -rs COVERED .; echo 1 >mounted/inner/new; echo 1 >out/inner/new; echo 1 >out/new; true',
      '--set',
      'tools.shell.passthrough=["out"]',
    )
    return { layer, said, more: readdirSync(at('more')), out: existsSync(at('root/out/new')) }
  },
  below() {
    mkdirSync(at('root/folder/mounted'), { recursive: true })
    mkdirSync(at('other'))
    writeFileSync(at('other/file'), 'mounted')
    mkdirSync(at('state'))
    giveAway()
    sh('mount --bind other root/folder/mounted')
    const stateDir = at('state')
    const wrote = run(
      at('root'),
      stateDir,
      'cat folder/mounted/file; echo 1 >folder/mounted/new; echo 1 >folder/beside',
    )
    const moved = run(at('root'), stateDir, `perl -e 'rename "folder", "elsewhere" or print "refused"'`)
    return {
      layer: wrote.layer,
      said: wrote.said,
      changes: wrote.changes,
      moved: moved.said === 'refused' ? 'refused' : moved.err.split('\n')[0],
      isThere: existsSync(at('root/folder/mounted/file')),
      other: readdirSync(at('other')),
    }
  },
}

const outcome = stories[process.argv[2] ?? '']?.()
process.stdout.write(JSON.stringify(outcome))
