import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { confineByBwrap } from '../../../src/host/confine/bwrap.ts'
import type { Bwrap } from '../../../src/host/confine/bwrap.ts'
import type { ConfinedWorkspace, Confinement, Launch } from '../../../src/host/confine/confinement.ts'
import { adviceFor, findConfinement } from '../../../src/host/confine/find-confinement.ts'
import { probeConfinement } from '../../../src/host/confine/probe.ts'
import { buildSeccompFilter } from '../../../src/host/confine/seccomp/seccomp-filter.ts'
import { failureOf, makeScratch } from '../../harness/scratch.ts'
import { EMPTY_WORKSPACE } from '../run/command-bench.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

const bwrap: Bwrap = {
  program: '/usr/bin/bwrap',
  filter: buildSeccompFilter(process.arch === 'arm64' ? 'arm64' : 'x64'),
  canLimitScratch: true,
  canMountHeld: true,
  gitIdentity: '',
}

/** The sandbox with something taken out of it or put into it. */
function weakened(change: (launch: Launch, workspace: ConfinedWorkspace) => Launch, parts: Bwrap = bwrap) {
  return (workspace: ConfinedWorkspace): Confinement => {
    const confinement = confineByBwrap(parts, workspace)
    return { ...confinement, launch: (command) => change(confinement.launch(command), workspace) }
  }
}
const without =
  (...words: readonly string[]) =>
  (launch: Launch): Launch => ({ ...launch, argv: launch.argv.filter((word) => !words.includes(word)) })
/** Bubblewrap's own arguments end where the command begins. */
const adding =
  (...words: readonly string[]) =>
  (launch: Launch): Launch => {
    const at = launch.argv.indexOf('--')
    return { ...launch, argv: [...launch.argv.slice(0, at), ...words, ...launch.argv.slice(at)] }
  }
const lacking =
  (...run: readonly string[]) =>
  (launch: Launch): Launch => {
    const at = launch.argv.findIndex((_, from) =>
      run.every((word, offset) => launch.argv[from + offset] === word),
    )
    if (at === -1) throw new Error(`no ${run.join(' ')}`)
    return { ...launch, argv: launch.argv.toSpliced(at, run.length) }
  }

describe('the probe', () => {
  it('finds that the sandbox holds, and leaves nothing behind', async () => {
    // A folder of its own: on the shared one others may probe at the same moment.
    const scratch = makeScratch()
    vi.stubEnv('TMPDIR', scratch.path)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(tmpdir()).toBe(scratch.path)
    expect(
      await probeConfinement((workspace) => confineByBwrap(bwrap, workspace), PATIENCE_MS),
    ).toMatchObject({
      holds: true,
    })
    expect(readdirSync(scratch.path)).toEqual([])
  })

  it('finds the same below a long path, where the name of a socket would be too long', async () => {
    const scratch = makeScratch()
    vi.stubEnv('TMPDIR', scratch.folder(`größe ${'x'.repeat(120)}`))
    onTestFinished(() => void vi.unstubAllEnvs())
    const confine = (workspace: ConfinedWorkspace): Confinement => confineByBwrap(bwrap, workspace)
    expect(await probeConfinement(confine, PATIENCE_MS)).toMatchObject({ holds: true })
    const open = weakened((launch) => launch, { ...bwrap, filter: null })
    const report = await probeConfinement(open, PATIENCE_MS)
    expect(report).toMatchObject({ holds: false, escaped: ['reach a socket outside'] })
  })

  it.concurrent.for([
    [
      'no filter for system calls',
      weakened((launch) => launch, { ...bwrap, filter: null }),
      'reach a socket outside',
    ],
    ['the network', weakened(adding('--share-net')), 'reach the network'],
    ['the whole disk', weakened(adding('--bind', '/', '/')), 'write a file outside'],
    ['the disk to read', weakened(adding('--ro-bind', tmpdir(), tmpdir())), 'read a file outside'],
    [
      'the processes of the machine',
      weakened(adding('--ro-bind', '/proc', '/proc')),
      'see processes outside',
    ],
    [
      'variables',
      weakened((launch) => ({ ...launch, env: { ...launch.env, MY_TOKEN: 'x' } })),
      'see variables outside',
    ],
    [
      "git's hooks to write",
      weakened((launch, { roots: [root = ''] }) =>
        lacking('--ro-bind', `${root}/.git/hooks`, `${root}/.git/hooks`)(launch),
      ),
      "change git's hooks",
    ],
    [
      "git's folder without a mount",
      weakened((launch, { roots: [root = ''] }) =>
        [
          ['--bind', `${root}/.git`, `${root}/.git`],
          ['--ro-bind', `${root}/.git/hooks`, `${root}/.git/hooks`],
          ['--ro-bind', `${root}/.git/config`, `${root}/.git/config`],
        ].reduce((given, run) => lacking(...run)(given), launch),
      ),
      "replace git's folder",
    ],
  ] as const)('finds out a sandbox that has %s', async ([, confine, escape]) => {
    const report = await probeConfinement(confine, PATIENCE_MS)
    expect(report).toMatchObject({ holds: false })
    expect(report.holds ? [] : report.escaped).toContain(escape)
  })

  it.concurrent.for([
    ['does not start', weakened(without('--unshare-user', '--unshare-all')), 'did not start'],
    [
      'is another program',
      (w: ConfinedWorkspace) => confineByBwrap({ ...bwrap, program: '/usr/bin/true' }, w),
      'did not start',
    ],
    [
      'is not there',
      (w: ConfinedWorkspace) => confineByBwrap({ ...bwrap, program: '/usr/bin/no-bwrap' }, w),
      'ENOENT',
    ],
  ] as const)('says why a sandbox does not hold that %s', async ([, confine, reason]) => {
    const report = await probeConfinement(confine, PATIENCE_MS)
    expect(report.holds ? '' : report.reason).toContain(reason)
  })
})

describe('a sandbox that does not get ready', () => {
  it('is given up after the time it has, and the reason says which setting that is', async () => {
    const confine = (workspace: ConfinedWorkspace): Confinement => ({
      ...confineByBwrap(bwrap, workspace),
      launch: (command) => ({
        argv: ['/bin/sleep', '60'],
        env: {},
        cwd: command.cwd,
        inputs: [],
        isNamespaced: false,
        guard: null,
      }),
    })
    const report = await probeConfinement(confine, 200)
    expect(report.holds ? '' : report.reason).toMatch(/not ready within .* s \(tools\.shell\.probe_seconds\)/)
    expect(report).toMatchObject({ isUnknown: true })
  })
})

describe('the ladder', () => {
  const settings = { externalLabel: 'the build container', home: '/nonexistent', probeMs: PATIENCE_MS }

  it('stands on bubblewrap here, proven once', async () => {
    const first = await findConfinement({ ...settings, sandbox: 'auto' })
    expect(first).toMatchObject({ holds: true, name: 'bwrap', label: 'sandboxed by bubblewrap' })
    expect(await findConfinement({ ...settings, sandbox: 'auto' })).toBe(first)
  })

  it('gives less only when asked, and says what', async () => {
    expect(await findConfinement({ ...settings, sandbox: 'none' })).toMatchObject({
      holds: true,
      name: 'none',
      label: 'UNSANDBOXED',
    })
    expect(await findConfinement({ ...settings, sandbox: 'external' })).toMatchObject({
      name: 'external',
      label: 'confined from outside: the build container',
    })
  })

  it('does not open the system, or the whole disk, to be written', async () => {
    const level = await findConfinement({ ...settings, sandbox: 'auto' })
    if (!level.holds) throw new Error(level.reason)
    const workspace: ConfinedWorkspace = { ...EMPTY_WORKSPACE, home: '/h' }
    for (const root of ['/', '/etc', '/usr', '/home'])
      expect(failureOf(() => level.confine({ ...workspace, roots: [root] }))).toMatchObject({
        code: 'not_allowed',
      })
    for (const write of ['/var', '/srv/x/.git/hooks'])
      expect(
        failureOf(() => level.confine({ ...workspace, roots: ['/srv/x'], write: [write] })),
      ).toMatchObject({
        code: 'not_allowed',
      })
  })

  it('finds the same in a process that has a planted bwrap first on its PATH', () => {
    const code = `
      const { findConfinement } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/host/confine/find-confinement.ts'))})
      const level = await findConfinement({ sandbox: 'auto', externalLabel: '', home: '/nonexistent', probeMs: 15_000 })
      console.log(level.holds, level.confine({ roots: ['/srv/x'], home: '/h', path: '', read: [], write: [], masked: [], own: [], hasNetwork: false, scratchBytes: 0 }).launch({ argv: [], cwd: '/', env: {} }).argv[0])`
    const scratch = makeScratch()
    chmodSync(scratch.file('bwrap', '#!/bin/sh\ntouch "$0.was-run"\n'), 0o755)
    const env = { ...process.env, PATH: `${scratch.path}:${process.env['PATH'] ?? ''}` }
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
      env,
    })
    expect(said.trim()).toBe('true /usr/bin/bwrap')
    expect(existsSync(scratch.at('bwrap.was-run'))).toBe(false)
  })

  it('tells in one sentence how to get it on Ubuntu 24.04, where user namespaces are kept from programs', () => {
    const said = 'it did not start (exit code 1): bwrap: setting up uid map: Permission denied'
    expect(adviceFor(said)[0]).toMatch(/^On Ubuntu 24\.04 .*apparmor/)
    expect(adviceFor('it let a command reach the network')).toEqual([])
  })
})
