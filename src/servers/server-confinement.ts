import type { Settings } from '../config/keys.ts'
import type { ServerSetting } from '../config/kinds/servers-kind.ts'

/** What confines the program of a server, in words for people. */
export interface ServerConfinement {
  /** Null for a server at an address. */
  readonly label: string | null
  /** Whether it is the command sandbox, as a reader expects; anything else is said with each result. */
  readonly isUsual: boolean
}

/** Says what confines a server by its entry and the settings alone; under `auto` it does not start without a sandbox. */
export function confinementOf(
  { url, network }: Pick<ServerSetting, 'url' | 'network'>,
  settings: Settings,
): ServerConfinement {
  if (url !== null) return { label: null, isUsual: true }
  switch (settings['tools.shell.sandbox']) {
    case 'auto':
      return { label: `the command sandbox${network ? ', with network' : ''}`, isUsual: true }
    case 'external':
      return { label: `confined from outside: ${settings['tools.shell.external_label']}`, isUsual: false }
    case 'none':
      return { label: 'UNSANDBOXED', isUsual: false }
  }
}
