import { relative } from 'node:path'
import { describeFault } from '../config/describe-fault.ts'
import { KEYS } from '../config/keys.ts'
import type { ValueOf } from '../config/keys.ts'
import { canonicalFolder, isInside, MANAGED_CONFIG_FILE, userConfigFile } from '../host/fs/folders.ts'
import { layerPlaces, readKnownPlaces } from '../host/layer/layer-places.ts'
import { systemClock } from '../host/system/clock.ts'
import { createIds } from '../host/system/ids.ts'
import { createGrants } from '../pipeline/memory/grants.ts'
import { createRuleHistory } from '../pipeline/memory/rule-history.ts'
import { timeGiven } from '../pipeline/time-given.ts'
import { builtInTools } from '../tools/built-in.ts'
import { openWorkspace } from '../workspace/open-workspace.ts'
import type { SealText } from '../workspace/reading/stored-digests.ts'
import { explaining } from '../journal/explain-fault.ts'
import { draftFolders } from '../journal/store/state-files.ts'
import { openAnswerInbox } from './approvals/answer-inbox.ts'
import { checkAdvertised } from './configure/advertise.ts'
import { ConfigurationError } from './configure/configuration-error.ts'
import { loadConfiguration } from './configure/load-configuration.ts'
import { loadRules } from './configure/load-rules.ts'
import { checkOwnPlaces, findOwnPlaces, withoutWorkOf } from './configure/own-places.ts'
import { canonicalRoot, placeState, placeWitness, storedFolders } from './configure/places.ts'
import { trustFile } from './configure/trust.ts'
import { guardErrorHandler } from './observe/outside-code.ts'
import type { RuntimeOptions } from './runtime.ts'
import { watchLandings } from './sessions/landings.ts'

import { openSessions } from './sessions/sessions.ts'
import { findSkills, findUserSkills } from './skills/find-skills.ts'
import { guardServers, readServersAgain } from './servers/guard-servers.ts'
import { openServers } from './servers/open-servers.ts'
import { registerLiveTools } from './servers/register-tools.ts'
import { openGateRunner } from './shell/gate-runner.ts'
import { watchGit } from './shell/git-watch.ts'
import { openShell } from './shell/shell.ts'

/** Everything that a runtime has open. */
export type RuntimeParts = Awaited<ReturnType<typeof openParts>>

/** Opens the parts of a runtime for a root: its configuration, tools, rules, sessions, workspace and shell. */
export async function openParts(options: RuntimeOptions) {
  const root = canonicalRoot(options.root)
  const stateDir = placeState(options.stateDir, root)
  const { config: given, profile, preset } = options
  const configuration =
    options.loaded ??
    (await loadConfiguration({ root, stateDir, env: process.env, isPersonal: false, given, profile, preset }))
  const { settings } = configuration
  const durability =
    options.durability === undefined ? settings['journal.durability'] : readDurability(options.durability)
  const clock = options.clock ?? systemClock
  const own = [...builtInTools, ...(options.tools ?? [])]
  const servers = await openServers({
    settings,
    stateDir,
    clock,
    isTaken: (name) => own.some((tool) => tool.name === name),
    files: [
      userConfigFile(process.env),
      MANAGED_CONFIG_FILE,
      trustFile(stateDir),
      ...(configuration.configFile === undefined ? [] : [configuration.configFile]),
    ],
    witness: () => witness,
    readEntries: async () => {
      const entries = await readServersAgain(configuration)
      return entries === null ? null : guarded.takeOver(entries)
    },
    start: async (name, setting) => {
      const { startConfined } = await import('./servers/start-confined.ts')
      // What its own entry names is no reason to refuse what the same entry grants.
      const { [name]: _itself, ...others } = guarded.entries()
      const known = { ...facts, roots: opened.roots }
      const ofOthers = findOwnPlaces({ ...known, settings: { ...settings, 'mcp.servers': others } })
      return startConfined(name, setting, {
        settings,
        stateDir,
        workspace: opened,
        own: withoutWorkOf(Object.values(others), ofOthers, known),
        shielded: withoutWorkOf([setting], opened.own, known),
      })
    },
  })
  const registered = await registerLiveTools(settings, own, servers)
  const { registry } = registered
  checkAdvertised(settings, configuration.origin['tools.advertise'], registry)
  const ruling = loadRules(configuration, registry, options.rules)
  const folders = storedFolders(stateDir)
  const { configFile } = configuration
  const facts = { root, stateDir, env: process.env, settings, configFile }
  const findOwn = (roots: readonly string[]) => checkOwnPlaces(facts, roots)
  const knownPlaces = explaining(stateDir, () => readKnownPlaces(stateDir))
  const layerPlacesOf = (of: string) => [
    ...new Set([
      ...layerPlaces({ root: of, stateDir, layerDir: settings['tools.shell.layer_dir'] }),
      ...knownPlaces,
    ]),
  ]
  const skillPlaces = {
    root,
    stateDir,
    userFolder: options.userFolder ?? null,
    isTool: (name: string) => registry.find(name) !== null,
  }
  const userSkills = () => findUserSkills(skillPlaces).usable
  const opened = openWorkspace({
    root,
    settings,
    clock,
    ...folders,
    skillFolder: (name) => userSkills().find((one) => one.name === name)?.folder ?? null,
    seal: (text) => seal(text),
    findOwn,
    layerPlacesOf,
    buffers: options.buffers ?? null,
  })
  const guarded = guardServers({ ...facts, settings, roots: opened.roots })
  const waitMs = settings['tools.session_wait_seconds'] * 1000
  const retention = {
    maxBytes: settings['journal.max_bytes'],
    maxAgeDays: settings['journal.max_age_days'],
    draftFolders: draftFolders(stateDir),
    layerPlaces: [...new Set(opened.roots.flatMap(layerPlacesOf))],
    ...folders,
  }
  const newId = createIds(clock)
  const witness = placeWitness(settings['journal.witness'], { roots: opened.roots, stateDir })
  const sessions = openSessions({
    root,
    stateDir,
    durability,
    clock,
    newId,
    witness,
    workspace: opened,
    waitMs,
    onBusy: options.onBusy,
    retention,
  })
  const seal: SealText = (text) => sessions.grants().sealAnswer(text)
  const git = watchGit(settings, opened.roots, () => sessions.read())
  // Without full durability no record outlives a power cut, so contents need not either.
  const synced = durability === 'full' ? opened : { ...opened, syncHeld: async () => undefined }
  const workspace = watchLandings(synced, sessions, git.noteLanded)
  return {
    root,
    stateDir,
    startFolder: startFolderIn(root, options.startFolder),
    userFolder: skillPlaces.userFolder,
    skills: () => findSkills(skillPlaces),
    configuration,
    settings,
    registry,
    registered,
    servers,
    ruling,
    clock,
    newId,
    durability,
    witness,
    waitMs,
    storedFolders: [folders.backupFolder, folders.outputFolder],
    sessions,
    seal,
    git,
    workspace,
    rules: createRuleHistory(
      ruling.book,
      registry,
      (tool) => timeGiven(tool, configuration.personal),
      clock.now,
    ),
    shell: openShell(settings, workspace, {
      own: guarded.own,
      outputFolder: folders.outputFolder,
      stateDir,
      seal,
      layerStatus: sessions.layerStatus,
      // What lies in a root is reached there, or hidden there.
      skillFolders: () =>
        userSkills()
          .map(({ folder }) => folder)
          .filter((folder) => !opened.roots.some((one) => isInside(folder, one))),
    }),
    grants: createGrants(sessions.grants, root, clock),
    gateRunner: openGateRunner(configuration.personal, workspace.roots),
    inbox: openAnswerInbox(stateDir, sessions.grants),
    report: guardErrorHandler(options.onError),
    /** The actor of runs that do not name one. */
    defaultActor: options.actor ?? null,
  }
}

/** The folder that the user works in, relative to the root. */
function startFolderIn(root: string, given: string | undefined): string {
  const folder = given === undefined ? null : canonicalFolder(given)
  return folder === null || !isInside(folder, root) ? '' : relative(root, folder)
}

/** Reads what a program asks for. A word that is not known would otherwise count as less than it may mean. */
function readDurability(given: unknown): ValueOf<'journal.durability'> {
  const reading = KEYS['journal.durability'].kind.read(given)
  if (reading.ok) return reading.value
  throw new ConfigurationError(
    reading.faults.map((fault) => ({ source: 'the program', ...describeFault('durability', fault) })),
  )
}
