import { execFile } from 'node:child_process'
import { statfsSync, statSync } from 'node:fs'
import { TRY_LATER } from '../../core/shell/shell-status.ts'
import { findLayerPrograms } from '../layer/enter/enter-layer.ts'
import { mountPointsBelow } from '../layer/mounts.ts'
import { proveLayer } from '../layer/prove-layer.ts'
import type { LayerSupport } from '../layer/prove-layer.ts'
import { findGit, limitGit } from '../git/ask-git.ts'
import { findPrivateFolder } from '../fs/private-folder.ts'
import { platform } from '../system/platform.ts'
import { confineByBwrap } from './bwrap.ts'
import type { Bwrap } from './bwrap.ts'
import type { ConfinedWorkspace, Confinement, Launch, LevelName, PlainCommand } from './confinement.ts'
import { probeConfinement } from './probe.ts'
import type { ProbeReport } from './probe.ts'
import { createOutcomes, proveOnce } from './remember-proof.ts'
import { buildSeccompFilter } from './seccomp/seccomp-filter.ts'
import { confineBySeatbelt } from './seatbelt.ts'
import { findTrustedProgram } from './trusted-program.ts'

/** How commands should be confined, and the home folder of the user. */
export interface ConfinementSettings {
  readonly sandbox: 'auto' | 'external' | 'none'
  /** What confines the whole process from outside, in the words of the administrator who set it up. */
  readonly externalLabel: string
  readonly home: string
  /** How long the probe of a sandbox may take. */
  readonly probeMs: number
  /** The probe must not work where commands can reach it. */
  readonly roots?: readonly string[]
  /** Where proofs are remembered, out of reach for commands; they are made anew if absent. */
  readonly proofs?: string
}

/** How commands can be confined here, or why they cannot. */
export type ConfinementLevel =
  | {
      readonly holds: true
      readonly name: LevelName
      /** For prompts, results, the audit trail and the doctor. */
      readonly label: string
      readonly confine: (workspace: ConfinedWorkspace) => Confinement
      /**
       * Whether commands can run on a layer in this folder for layers, over a root of its file system or over this one,
       * which is on another or has mounts below it; proven once for each pair of file systems and each such root.
       */
      readonly layerIn: (place: string, triedRoot?: string | null) => Promise<LayerSupport>
    }
  | {
      readonly holds: false
      readonly reason: string
      readonly advice: readonly string[]
      /** That could not be found out in time; it may be another time. */
      readonly isUnknown?: true
    }

const BWRAP = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap']
const SANDBOX_EXEC = ['/usr/bin/sandbox-exec']
/** If it does not answer in time, the oldest version is assumed. */
const VERSION_TIMEOUT_MS = 5_000
/** The first bubblewrap version that can limit the size of a scratch folder. */
const LIMITS_SCRATCH = [0, 7] as const

/** Finds what confines commands here; never falls back to anything weaker than what was asked for. */
export async function findConfinement(settings: ConfinementSettings): Promise<ConfinementLevel> {
  if (settings.sandbox === 'none') return openLevel('none', 'UNSANDBOXED')
  if (settings.sandbox === 'external')
    return openLevel('external', `confined from outside: ${settings.externalLabel}`)
  if (platform === 'linux') return levels('bwrap', () => proveBwrap(settings))
  if (platform === 'macos') return levels('seatbelt', () => proveSeatbelt(settings))
  return {
    holds: false,
    reason: 'No sandbox is available for this operating system.',
    advice: ['Run in a container and set tools.shell.sandbox = "external".'],
  }
}

const levels = createOutcomes<ConfinementLevel>((level) => !level.holds && level.isUnknown === true)

async function proveBwrap(settings: ConfinementSettings): Promise<ConfinementLevel> {
  const { home, probeMs, roots = [], proofs = null } = settings
  const program = findTrustedProgram(BWRAP)
  if (program === null)
    return {
      holds: false,
      reason: 'bubblewrap is not installed, or users other than root can change it.',
      advice: ['Install bubblewrap with the package manager of your system.'],
    }
  const filter = process.arch === 'x64' || process.arch === 'arm64' ? buildSeccompFilter(process.arch) : null
  const [version, help, gitIdentity] = await Promise.all([
    readVersion(program),
    ask(program, '--help'),
    readGitIdentity(home),
  ])
  const programs = findLayerPrograms()
  const bwrap: Bwrap = {
    program,
    filter,
    canLimitScratch: isAtLeast(version, LIMITS_SCRATCH),
    canMountHeld: help.includes('--ro-bind-fd'),
    gitIdentity,
    layerPrograms: 'missing' in programs ? null : programs,
  }
  const confine = (workspace: ConfinedWorkspace): Confinement => confineByBwrap(bwrap, workspace)
  const report = await proveOnce<ProbeReport>({
    folder: proofs,
    kind: 'sandbox',
    programs: [program],
    facts: [process.arch],
    prove: () => probeConfinement(confine, probeMs, findPrivateFolder('disk', roots)),
    success: { holds: true, durationMs: 0 },
    isSuccess: ({ holds }) => holds,
  })
  if (report.holds) {
    const layerIn = layerProver(confine, programs, program, { probeMs, proofs })
    return { holds: true, name: 'bwrap', label: 'sandboxed by bubblewrap', confine, layerIn }
  }
  return unheld('bubblewrap', report, adviceFor(report.reason))
}

/** Says why a sandbox is not used. */
function unheld(
  program: string,
  { reason, isUnknown }: ProbeReport & { readonly holds: false },
  advice: readonly string[],
): ConfinementLevel {
  if (isUnknown !== true)
    return { holds: false, reason: `${program} does not confine commands here: ${reason}.`, advice }
  return {
    holds: false,
    reason: `Whether ${program} confines commands here could not be found out: ${reason}.`,
    advice: [TRY_LATER],
    isUnknown,
  }
}

async function proveSeatbelt({ probeMs, roots = [] }: ConfinementSettings): Promise<ConfinementLevel> {
  const program = findTrustedProgram(SANDBOX_EXEC)
  if (program === null) return { holds: false, reason: 'sandbox-exec is missing.', advice: [] }
  const confine = (workspace: ConfinedWorkspace): Confinement => confineBySeatbelt(program, workspace)
  const report = await probeConfinement(confine, probeMs, findPrivateFolder('disk', roots))
  if (report.holds)
    return { holds: true, name: 'seatbelt', label: 'sandboxed by sandbox-exec', confine, layerIn: noLayer }
  return unheld('sandbox-exec', report, [])
}

/** No sandbox of our own: the command runs as it is. */
function openLevel(name: 'external' | 'none', label: string): ConfinementLevel {
  const confinement: Confinement = {
    level: name,
    label,
    hasNetwork: true,
    launch: launchAsIs,
    reach: () => null,
  }
  return { holds: true, name, label, confine: () => confinement, layerIn: noLayer }
}

function noLayer(): Promise<LayerSupport> {
  return Promise.resolve({ rung: 'none', reason: 'only bubblewrap puts commands on a layer' })
}

/** Proves layers once for each file system. */
function layerProver(
  confine: (workspace: ConfinedWorkspace) => Confinement,
  programs: ReturnType<typeof findLayerPrograms>,
  bwrap: string,
  { probeMs, proofs }: { readonly probeMs: number; readonly proofs: string | null },
): (place: string, triedRoot?: string | null) => Promise<LayerSupport> {
  const supports = createOutcomes<LayerSupport>(({ rung }) => rung === 'unknown')
  return (place, triedRoot = null) => {
    if ('missing' in programs)
      return Promise.resolve({
        rung: 'none',
        reason: `there is no ${programs.missing} that only root can change`,
      })
    const pair = `${statSync(place).dev} ${triedRoot === null ? '' : describeRoot(triedRoot)}`
    return supports(pair, () =>
      proveOnce<LayerSupport>({
        folder: proofs,
        kind: 'layer',
        programs: [bwrap, ...Object.values(programs)],
        facts: [pair, String(statfsSync(place).type)],
        prove: () => proveLayer({ confine, place, triedRoot, timeoutMs: probeMs }),
        success: { rung: 'overlay', reason: null },
        isSuccess: ({ rung }) => rung === 'overlay',
      }),
    )
  }
}

function launchAsIs({ argv, cwd, env }: PlainCommand): Launch {
  return { argv, env, cwd, inputs: [], isNamespaced: false, guard: null }
}

/** What a person can do about a sandbox that failed its probe for this reason. */
export function adviceFor(reason: string): readonly string[] {
  if (
    !/uid map|user namespace|No permissions|Operation not permitted|Permission denied|Creating new namespace/i.test(
      reason,
    )
  )
    return []
  return [
    'On Ubuntu 24.04 let bubblewrap make user namespaces: `sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo systemctl reload apparmor` (package apparmor-profiles).',
    'In a container, allow user namespaces, or let the container be the boundary with tools.shell.sandbox = "external".',
  ]
}

async function readVersion(program: string): Promise<readonly number[]> {
  const said = await ask(program, '--version')
  return (/(?<!\d)(\d+)\.(\d+)/.exec(said)?.slice(1) ?? []).map(Number)
}

function ask(program: string, what: '--version' | '--help'): Promise<string> {
  return new Promise((done) => {
    execFile(program, [what], { env: {}, cwd: '/', timeout: VERSION_TIMEOUT_MS }, (_, stdout) => done(stdout))
  })
}

function isAtLeast(
  [major = 0, minor = 0]: readonly number[],
  [first, second]: readonly [number, number],
): boolean {
  return major > first || (major === first && minor >= second)
}

/** It reads two lines of configuration; if that takes longer, commits go without them. */
const TIMEOUT_MS = 2_000

/**
 * A configuration file for git with the user's name and email address and nothing else, so that commits made in a
 * sandbox carry them. Empty if the user has configured neither.
 */
async function readGitIdentity(home: string): Promise<string> {
  const git = findGit()
  if (git === null) return ''
  const args = ['config', '--global', '--includes', '--null', '--get-regexp', '^user\\.(name|email)$']
  const env = { HOME: home, PATH: '/usr/bin:/bin', GIT_CONFIG_NOSYSTEM: '1' }
  return new Promise((done) => {
    execFile(...limitGit(git, args), { cwd: '/', env, timeout: TIMEOUT_MS }, (error, stdout) => {
      done(error === null ? writeIdentity(stdout) : '')
    })
  })
}

/** Converts the output of `git config --null`: name, newline, value and NUL for each setting. */
function writeIdentity(listed: string): string {
  const settings = listed
    .split('\0')
    .map((setting) => /^user\.(name|email)\n([^\r\n]*)$/.exec(setting))
    .filter((match) => match !== null)
  if (settings.length === 0) return ''
  const lines = settings.map(([, name, value = '']) => `\t${name} = "${value.replace(/(["\\])/g, '\\$1')}"\n`)
  return `[user]\n${lines.join('')}`
}

/** What decides whether a layer can lie over a root. */
function describeRoot(root: string): string {
  const { dev } = statSync(root)
  return [dev, ...mountPointsBelow(root)].join(' ')
}
