import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../host/system/clock.ts'
import { findLooseFolder } from '../../../host/fs/loose-folders.ts'
import { MANAGED_CONFIG_FILE, PROJECT_CONFIG_NAME, userConfigFile } from '../../../host/fs/folders.ts'
import { readOwnPackage } from '../../../host/fs/own-package.ts'
import { readTextIfExists } from '../../../host/fs/plain-file.ts'
import { sizeOf } from '../../../host/fs/private-files.ts'
import { describeNative } from '../../../host/native/describe-native.ts'
import { openStore } from '../../../journal/open-store.ts'
import { findKeptCopies, findTraces, storeSize } from '../../../journal/store/state-files.ts'
import { bindGrants } from '../../../journal/grants/bound-grants.ts'
import { readGrants } from '../../../runtime/approvals/grants.ts'
import { ConfigurationError } from '../../../runtime/configure/configuration-error.ts'
import { checkOwnPlaces, findOwnPlaces } from '../../../runtime/configure/own-places.ts'
import { storedFolders } from '../../../runtime/configure/places.ts'
import { isTrusted } from '../../../runtime/configure/trust.ts'
import { openWorkspace } from '../../../workspace/open-workspace.ts'
import type { OwnPath } from '../../../workspace/sandbox/own-paths.ts'
import type { Workspace } from '../../../workspace/workspace.ts'
import type { Reach } from '../../../host/confine/confinement.ts'
import { ToolFailure } from '../../../core/error.ts'
import type { ConfinementLevel } from '../../../host/confine/find-confinement.ts'
import { findLentCaches } from '../../../runtime/shell/lent-caches.ts'
import { findPassthrough } from '../../../runtime/shell/passthrough.ts'
import { findReach } from '../../../runtime/shell/command-reach.ts'
import type { ParsedLine } from '../arguments.ts'
import { configure } from '../open.ts'
import { examineLayer, keptLayers } from './doctor/examine-layer.ts'
import { examineUnfinished } from './doctor/examine-unfinished.ts'
import { examineBackground } from './doctor/examine-background.ts'
import { examineSkills, findAllSkills } from './doctor/examine-skills.ts'
import { examineServers } from './doctor/examine-servers.ts'
import { examineModel } from './doctor/examine-model.ts'
import { examineRoles } from './doctor/examine-roles.ts'
import type { DoctorLine } from './doctor/doctor-line.ts'
import { safe, safeWords } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import type { Settings } from '../../../config/keys.ts'
import {
  describeShellLimits,
  findShellConfinement,
  runLimits,
} from '../../../runtime/shell/shell-confinement.ts'

/** `tongs doctor`: versions, folders and sandboxing. */
export async function doctor(line: ParsedLine, terminal: Terminal): Promise<number> {
  const loaded = await configure(line, terminal)
  const { root, stateDir, settings } = loaded
  const findings: DoctorLine[] = [
    ...versions(),
    { name: 'root', value: root, isFine: true },
    stateFolder(stateDir),
  ]
  const facts = { root, stateDir, env: process.env, settings, configFile: loaded.configFile }
  const skills = findAllSkills(root, stateDir)
  const workspace = openWorkspace({
    root,
    settings,
    clock: systemClock,
    ...storedFolders(stateDir),
    findOwn: (roots) => {
      try {
        return checkOwnPlaces(facts, roots)
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error
        findings.push({ name: 'own files', value: error.message, isFine: false })
        return []
      }
    },
  })
  findings.push({
    name: 'path sandbox',
    value: workspace.isRaceFree
      ? 'directory handles; a swapped link or folder cannot redirect a path'
      : 'checked paths, checked again after opening',
    isFine: workspace.isRaceFree,
    ...(workspace.isRaceFree
      ? {}
      : { hint: 'this system offers nothing better without native code; see docs/promises.md' }),
  })
  findings.push({ name: 'native calls', value: describeNative(), isFine: true })
  findings.push(
    ...(await examineShell(settings, workspace, {
      own: findOwnPlaces({ ...facts, roots: workspace.roots }),
      stateDir,
      skillFolders: () => skills.usable.filter(({ from }) => from === 'user').map(({ folder }) => folder),
    })),
  )
  findings.push(keptLayers(settings, workspace, stateDir))
  const size = storeSize(stateDir)
  if (size !== null) findings.push(...examineUnfinished(stateDir, root, workspace))
  workspace.close()
  const traces = findTraces(stateDir)
  findings.push({
    name: 'journal',
    value:
      traces !== null
        ? traces
        : size === null
          ? 'none yet'
          : `${join(stateDir, 'journal.db')}, ${size} bytes`,
    isFine: traces === null,
    ...(traces === null
      ? {}
      : { hint: 'restore it from a backup; tongs repair says what is lost without it' }),
  })
  findings.push(keptCopies(stateDir))
  if (size !== null) findings.push(findGrants(stateDir, root))
  const witness = settings['journal.witness']
  findings.push({ name: 'witness', value: witness === '' ? 'none' : witness, isFine: true })
  findings.push({ name: 'durability', value: settings['journal.durability'], isFine: true })
  findings.push(...configurationFiles(root, stateDir))
  findings.push(...examineModel(settings, process.env))
  findings.push(...examineServers(settings, stateDir))
  findings.push(...examineSkills(skills))
  findings.push(examineBackground(stateDir))
  findings.push(...examineRoles({ root, stateDir, env: process.env }))
  if (line.has('--json'))
    terminal.json(Object.fromEntries(findings.map(({ name, value }) => [name.replaceAll(' ', '_'), value])))
  else for (const finding of findings) show(finding, terminal)
  return findings.every(({ isFine }) => isFine) ? 0 : 1
}

/** Where the records are; commands refuse a folder that other users could exchange, such as one in another user's home. */
function stateFolder(stateDir: string): DoctorLine {
  const loose = findLooseFolder(stateDir)
  const name = 'state folder'
  if (loose === null) return { name, value: stateDir, isFine: true }
  const hint = `other users can rename what is in ${loose}; set HOME to your own home folder (sudo -H does so), or set TONGS_STATE_DIR`
  return { name, value: stateDir, isFine: false, hint }
}

/** What repairs have kept of the journal; it holds contents that were erased from it since. */
function keptCopies(stateDir: string): DoctorLine {
  const copies = findKeptCopies(stateDir).map((path) => `${path}, ${sizeOf(path)?.bytes ?? 0} bytes`)
  return { name: 'copies of repairs', value: copies.length === 0 ? 'none' : copies.join('; '), isFine: true }
}

/** Active grants, and records that do not count. */
function findGrants(stateDir: string, root: string): DoctorLine {
  const store = openStore({ stateDir, durability: 'normal', clock: systemClock })
  try {
    const { grants, ignored } = readGrants(bindGrants(store.grants), root, systemClock.now())
    const active = grants.filter((grant) => grant.standing === 'standing').length
    const name = 'grants'
    if (ignored.length === 0) return { name, value: `${active} in force`, isFine: true }
    const value = `${active} in force, ${ignored.length} ignored`
    return { name, value, isFine: false, hint: 'see tongs grants; revoking one removes it' }
  } finally {
    store.close()
  }
}

function versions(): readonly DoctorLine[] {
  const packageJson = readOwnPackage()
  return [
    { name: 'tongs', value: packageJson.version, isFine: true },
    { name: 'contract', value: packageJson.tongs?.contract ?? 'unknown', isFine: true },
    { name: 'node', value: process.versions.node, isFine: true },
    {
      name: 'sqlite',
      value: process.versions['sqlite'] ?? 'missing',
      isFine: process.versions['sqlite'] !== undefined,
    },
  ]
}

function configurationFiles(root: string, stateDir: string): readonly DoctorLine[] {
  const project = join(root, PROJECT_CONFIG_NAME)
  const text = readTextIfExists(project, 'project')
  const status =
    text === null
      ? 'none'
      : isTrusted(stateDir, root, text)
        ? `${project}, trusted`
        : `${project}, may only tighten`
  return [
    { name: 'user configuration', value: pathIfThere(userConfigFile(process.env)), isFine: true },
    { name: 'project configuration', value: status, isFine: true },
    { name: 'managed configuration', value: pathIfThere(MANAGED_CONFIG_FILE), isFine: true },
  ]
}

function pathIfThere(path: string): string {
  return existsSync(path) ? path : 'none'
}

function show({ name, value, isFine, hint }: DoctorLine, terminal: Terminal): void {
  const shown = Array.isArray(value) ? (value.length === 0 ? 'none' : value.join(', ')) : String(value)
  const mark = isFine ? terminal.paint('green', 'ok') : terminal.paint('yellow', '!!')
  terminal.say(`${mark}  ${name.padEnd(22)} ${safeWords(shown)}`, '    ')
  if (hint !== undefined) terminal.say(safe(`    ${hint}`), '')
}

interface DoctorPlaces {
  readonly own: readonly OwnPath[]
  readonly stateDir: string
  readonly skillFolders: () => readonly string[]
}

/** The command sandbox, the result of its probe, and the limits. */
async function examineShell(
  settings: Settings,
  workspace: Workspace,
  { own, stateDir, skillFolders }: DoctorPlaces,
): Promise<readonly DoctorLine[]> {
  const rung = await findShellConfinement(settings, workspace)
  if (!rung.holds) {
    const hint =
      rung.advice.length === 0 ? 'commands stay off until a sandbox is available' : rung.advice.join('\n    ')
    return [
      {
        name: 'command sandbox',
        value: `${rung.isUnknown === true ? 'not known' : 'none works'}, so commands are off`,
        isFine: false,
        hint,
      },
      { name: 'sandbox probe', value: rung.reason, isFine: false },
      { name: 'command limits', value: 'none: no command runs', isFine: true },
      { name: 'command layer', value: 'none: no command runs', isFine: true },
      ...describeReach(() => ({ read: [], write: [], hidden: [] })),
    ]
  }
  const isProbed = rung.name === 'bwrap' || rung.name === 'seatbelt'
  const limits = describeShellLimits(runLimits(settings), rung.name)
  return [
    {
      name: 'command sandbox',
      value: rung.label,
      isFine: rung.name !== 'none',
      ...(rung.name === 'none' ? { hint: 'commands can do whatever you can; see tools.shell.sandbox' } : {}),
    },
    {
      name: 'sandbox probe',
      value: isProbed ? 'every escape attempt failed' : 'not probed: Tongs does not sandbox commands itself',
      isFine: true,
    },
    { name: 'command limits', value: limits === '' ? 'none configured' : limits, isFine: true },
    await examineLayer(rung, settings, { workspace, stateDir }),
    ...describePassthrough(settings, workspace),
    describeCaches(rung, settings, workspace),
    ...describeReach(() => findReach(rung, { settings, workspace, own, skillFolders })),
  ]
}

/** The caches of package managers that commands get. */
function describeCaches(rung: ConfinementLevel, settings: Settings, workspace: Workspace): DoctorLine {
  const how = settings['tools.shell.caches']
  const { caches, registry } = findLentCaches(settings, workspace, { hasNetwork: false, rung: null })
  const isOurs = rung.holds && rung.name === 'bwrap'
  const shown = caches.map(({ name, path }) => {
    const from = name === 'npm' && registry !== null ? `, of ${registry}` : ''
    return `${name}: ${path} (${how === 'read' ? 'read-only' : how}${from})`
  })
  return { name: 'package caches', value: isOurs ? shown : [], isFine: true }
}

/** The folders that commands write directly, if there are any. */
function describePassthrough(settings: Settings, workspace: Workspace): readonly DoctorLine[] {
  if (settings['tools.shell.passthrough'].length === 0) return []
  const name = 'written directly'
  try {
    return [{ name, value: findPassthrough(settings, workspace), isFine: true }]
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    return [
      { name, value: error.message, isFine: false, hint: 'no command runs; see tools.shell.passthrough' },
    ]
  }
}

/** What commands can read and write; their own empty folders, such as /tmp, are not listed. */
function describeReach(find: () => Reach | null): readonly DoctorLine[] {
  const all = ['everything that you can']
  let reach: Reach | null
  try {
    reach = find()
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    return [{ name: 'commands can read', value: error.message, isFine: false, hint: 'no command runs' }]
  }
  return [
    { name: 'commands can read', value: reach?.read ?? all, isFine: true },
    { name: 'commands can write', value: reach?.write ?? all, isFine: true },
    { name: 'hidden from commands', value: reach?.hidden ?? [], isFine: true },
  ]
}
