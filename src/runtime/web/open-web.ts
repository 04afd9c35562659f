import { redactSecrets } from '../../core/text/secrets/redact.ts'
import type { LookupHost } from '../../host/web/resolve-host.ts'
import type { SharedWeb } from '../../pipeline/engine.ts'
import { isPrivateHost } from '../../policy/gates/web-gate.ts'
import { storedFolders } from '../configure/places.ts'
import type { RuntimeParts } from '../open-parts.ts'
import { storedPath, storeFetched } from '../sessions/stored-outputs.ts'

interface WebDeps {
  /** The system looks names up if absent. */
  readonly lookup: LookupHost | undefined
  readonly knownSecrets: () => readonly string[]
}

/** Opens the web for the calls of a runtime. What connects and what parses is loaded when it is first used. */
export function openWeb(
  { settings, stateDir, seal }: Pick<RuntimeParts, 'settings' | 'stateDir' | 'seal'>,
  { lookup, knownSecrets }: WebDeps,
): SharedWeb {
  const { outputFolder } = storedFolders(stateDir)
  return {
    async fetch(request) {
      const { fetchPage } = await import('../../host/web/fetch-page.ts')
      return fetchPage(request, { isPrivateHost: (address) => isPrivateHost(address, settings), lookup })
    },
    async readPage(html, base, signal) {
      const { readPage } = await import('../../host/web/read-page.ts')
      return readPage(html, base.href, signal)
    },
    store(content, { session, execution }) {
      const name = `${execution}.web`
      const stored = typeof content === 'string' ? redactSecrets(content, knownSecrets()) : content
      const deps = { settings, outputFolder, seal }
      return storeFetched({ session, name }, stored, deps) ? storedPath(name) : null
    },
  }
}
