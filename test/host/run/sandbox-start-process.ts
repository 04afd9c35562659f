/**
 * Starts a sandbox for somebody who kills this process: `probe` and a folder runs the probe of the sandbox there, over
 * and over; `late` and a folder starts a sandbox that begins only once this process is gone; `late by pipe` does the same
 * with a pipe for what bubblewrap notes, as a control.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { confineByBwrap } from '../../../src/host/confine/bwrap.ts'
import { FIRST_INPUT_FD } from '../../../src/host/confine/confinement.ts'
import { probeConfinement } from '../../../src/host/confine/probe.ts'
import { openNamelessFile } from '../../../src/host/fs/nameless-file.ts'
import { startCommand } from '../../../src/host/run/running-command.ts'
import { describeLaunch } from '../../../src/host/run/spawner-messages.ts'
import { EMPTY_WORKSPACE } from './command-bench.ts'

const [, , how = '', folder = ''] = process.argv
const bwrap = {
  program: '/usr/bin/bwrap',
  filter: null,
  canLimitScratch: false,
  canMountHeld: true,
  gitIdentity: '',
}
const say = (): void => void writeSync(1, 'starting\n')

if (how === 'probe') {
  for (;;) {
    say()
    await probeConfinement((workspace) => confineByBwrap(bwrap, workspace), 60_000, folder)
  }
}

const root = join(folder, 'root')
mkdirSync(root)
const { launch } = confineByBwrap(bwrap, { ...EMPTY_WORKSPACE, roots: [root] })
const plain = launch({ argv: ['/bin/true'], cwd: root, env: {} })
const WAIT = `while [ -d /proc/${process.pid} ]; do sleep 0.01; done; exec "$@"`
const late = { ...plain, argv: ['/bin/sh', '-c', WAIT, 'late', ...plain.argv] }

if (how === 'late') {
  startCommand(
    {
      is: 'start',
      id: 1,
      ...describeLaunch(late, 'unused'),
      stdout: 1,
      stderr: 2,
      stdin: null,
      folder,
      timeoutMs: 600_000,
      graceMs: 0,
      cgroup: null,
    },
    () => openSync('/dev/null', 'w'),
    say.bind(null),
  )
} else {
  const inputs = late.inputs.map((input) =>
    openNamelessFile(folder, input instanceof Uint8Array ? input : ''),
  )
  const [program = '', ...args] = late.argv
  const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe', ...inputs] as const
  if (stdio.length !== FIRST_INPUT_FD + inputs.length) throw new Error('other descriptors')
  spawn(program, args, { cwd: '/', env: {}, detached: true, stdio: [...stdio] })
  say()
}
setInterval(() => undefined, 60_000)
