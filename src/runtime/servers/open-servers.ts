import type { Settings } from '../../config/keys.ts'
import type { ServerSettings } from '../../config/kinds/servers-kind.ts'
import type { Tool } from '../../core/tool.ts'
import type { StartedServer } from '../../servers/connect.ts'
import { stampOf } from '../../host/fs/plain-file.ts'
import { systemClock } from '../../host/system/clock.ts'
import { isBuiltIn } from '../../tools/built-in.ts'
import type { ServerInspection, ServerView } from './inspect-server.ts'
import { createOpener } from './opened-server.ts'
import type { OpenedServer, OpenerDeps } from './opened-server.ts'
import { signInAddress, signInAt, signOutAt, unknownServer } from './sign-in-at.ts'
import type { SignInWay } from './sign-in-at.ts'

export type { ServerInspection, ServerView } from './inspect-server.ts'

/** The configured MCP servers, as the user's configuration and what was trusted of them are now. */
export interface Servers {
  /** Their trusted tools. */
  readonly tools: readonly Tool[]
  /** Those of them that a server has changed since, so that nobody is shown them until they are trusted again. */
  readonly withheld: ReadonlySet<string>
  /** Servers in use whose tools nobody has trusted. */
  readonly untrusted: readonly string[]
  /** Values of variables and headers that are not to be shown; the same list while nothing is added to it. */
  readonly secrets: readonly string[]
  readonly list: () => readonly ServerView[]
  /** Starts the server and reads what it offers; rejects with a ToolFailure if it cannot. */
  readonly inspect: (name: string) => Promise<ServerInspection>
  /** Trusts what an inspection showed; counts from the next look on. */
  readonly trust: (inspection: ServerInspection) => void
  /** Looks whether servers were added, removed or trusted by whomever, and takes that over. */
  readonly look: () => Promise<void>
  /** Has `listener` told each time that the tools are others; returns what ends that. */
  readonly follow: (listener: () => void | Promise<void>) => () => void
  /** The address at which a user signs in for a server; throws a ToolFailure if there is none. */
  readonly signInAddress: (name: string) => string
  /** Signs the user in at the address of a server; rejects with a ToolFailure if it cannot. */
  readonly signIn: (name: string, how: SignInWay) => Promise<void>
  /** Forgets that; returns whether there was anything to forget. */
  readonly signOut: (name: string) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** What a person or a program does about servers. */
export type ServerControls = Pick<
  Servers,
  'list' | 'inspect' | 'trust' | 'look' | 'follow' | 'signInAddress' | 'signIn' | 'signOut'
>

/** What the servers of a runtime need. */
export interface ServersDeps extends Omit<OpenerDeps, 'onListed'> {
  /** The files whose change is a reason to read the entries again. */
  readonly files: readonly string[]
  /** The file elsewhere that is told what is trusted; empty if there is none. */
  readonly witness: () => string
  /** The entries as they are now; null if they cannot be read. */
  readonly readEntries: () => Promise<ServerSettings | null>
}

/** Makes the tools of the configured servers from what was trusted; no server is started for that. */
export async function openServers(deps: ServersDeps): Promise<Servers> {
  const { settings, stateDir } = deps
  const listeners = new Set<() => void | Promise<void>>()
  let entries: ServerSettings = settings['mcp.servers']
  let opened: readonly OpenedServer[] = []
  let secrets: readonly string[] = []
  let shown = ''
  let loading: ReturnType<typeof load> | null = null
  let loaded: Awaited<ReturnType<typeof load>> | null = null
  let looking: Promise<void> | null = null
  let isClosed = false
  let stamps = stampsOf(deps.files)

  /** Opens what the entries name, and lets the calls of what they no longer name finish. */
  async function openAll(): Promise<void> {
    const named = Object.entries(entries)
    if (named.length === 0 && opened.length === 0) return
    loading ??= load({ ...deps, onListed: () => void tellChanges() })
    loaded = await loading
    const { open } = loaded
    const before = new Map(opened.map((one) => [one.name, one]))
    opened = named.map(([name, setting]) => open(name, setting, before.get(name)))
    const kept = new Set(opened.map(({ server }) => server))
    for (const { server } of before.values())
      if (!kept.has(server)) void server.retire().catch(() => undefined)
    const hidden = new Set([...secrets, ...opened.flatMap((one) => one.secrets)])
    // What was hidden once stays hidden: it may be in a log or a result still.
    if (hidden.size > secrets.length) secrets = [...hidden]
  }

  const withheld = (): ReadonlySet<string> => new Set(opened.flatMap((one) => one.withheld()))

  /** What others see of the servers, to be compared. */
  const show = (): string =>
    JSON.stringify([
      opened.flatMap(({ tools }) => tools.map(({ name, version }) => [name, version])),
      [...withheld()],
      untrustedIn(opened),
    ])

  async function tellChanges(): Promise<void> {
    const now = show()
    if (now === shown || isClosed) return
    shown = now
    for (const listener of listeners) await listener()
  }

  async function lookNow(): Promise<void> {
    const now = stampsOf(deps.files)
    if (now === stamps || isClosed) return
    stamps = now
    const read = await deps.readEntries()
    if (read !== null) entries = read
    await openAll()
    await tellChanges()
  }

  await openAll()
  shown = show()
  return {
    get tools() {
      return opened.flatMap(({ tools }) => tools)
    },
    get withheld() {
      return withheld()
    },
    get untrusted() {
      return untrustedIn(opened)
    },
    get secrets() {
      return secrets
    },
    list: () => opened.flatMap((one) => loaded?.viewServer(one, stateDir) ?? []),
    inspect: async (name) => {
      const found = opened.find((one) => one.name === name)
      if (found === undefined || loaded === null) throw unknownServer(name, Object.keys(entries))
      return loaded.inspectServer(found, stateDir)
    },
    trust: ({ name, definitions }) =>
      loaded?.trustPins(
        { stateDir, witness: deps.witness() },
        { name, boundTo: opened.find((one) => one.name === name)?.setting.boundTo },
        definitions,
      ),
    look: () => {
      looking ??= lookNow().finally(() => {
        looking = null
      })
      return looking
    },
    follow: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    signIn: async (name, how) => {
      await signInAt(name, entries, how)
      loaded?.noteError(stateDir, name, null)
    },
    signInAddress: (name) => signInAddress(name, entries),
    signOut: async (name) => signOutAt(name, entries),
    close: async () => {
      isClosed = true
      await looking?.catch(() => undefined)
      await Promise.all(opened.map(({ server }) => server.close()))
    },
  }
}

/** Loaded only if there are servers, because most runtimes have none. */
async function load(deps: OpenerDeps) {
  const [open, inspecting] = await Promise.all([createOpener(deps), import('./inspect-server.ts')])
  return { open, ...inspecting }
}

function untrustedIn(opened: readonly OpenedServer[]): readonly string[] {
  return opened.flatMap(({ name, setting, definitions }) =>
    setting.enabled && definitions === null ? [name] : [],
  )
}

function stampsOf(files: readonly string[]): string {
  return files.map((file) => stampOf(file) ?? '').join('\n')
}

/** The configured servers for those who only show their tools; none is ever started. */
export async function openToShow(settings: Settings, stateDir: string): Promise<Servers> {
  return openServers({
    settings,
    stateDir,
    clock: systemClock,
    isTaken: isBuiltIn,
    start: refuseStart,
    files: [],
    witness: () => '',
    readEntries: async () => null,
  })
}

async function refuseStart(name: string): Promise<StartedServer> {
  throw unknownServer(name, [])
}
