import { shortLines } from '../../core/text/short-lines.ts'

/** What the sandbox seems to have denied a command. */
export type BlockedAccess =
  | { readonly kind: 'network' }
  | { readonly kind: 'socket' }
  | { readonly kind: 'write' | 'read'; readonly path: string }

const NETWORK =
  /Could not resolve host|Temporary failure in name resolution|Name or service not known|Network is unreachable|network is unreachable|\b(?:EAI_AGAIN|ENETUNREACH|ENOTFOUND)\b|No address associated with hostname|dial tcp .*connect:/
/** Only the system call that creates a socket fails with this message. */
const SOCKET = /socket|connect|listen|bind/i
const REFUSED = /Operation not permitted|\bEPERM\b/i
const READ_ONLY = /Read-only file system|\bEROFS\b|read-only file system/
const DENIED = /Permission denied|\bEACCES\b|No such file or directory|\bENOENT\b/
const PATH = /(?:^|[\s'"`(=])(\/[^\s'"`):,;]+)/
/** A name in quotes, or one that stands alone between colons, may have blanks in it. */
const PATH_WITH_BLANKS =
  /'(\/[^']{1,4096})'|"(\/[^"]{1,4096})"|[`‘](\/[^'’]{1,4096})['’]|: (\/[^:'"]{1,4096}): (?=[A-Z])/

/**
 * Guesses from the error output of a failed command what its sandbox denied, so that a person can grant it to a new
 * call. Paths inside the command's own roots are ignored: the sandbox does not block those.
 */
export function findBlockedAccess(
  stderr: string,
  given: { readonly hasNetwork: boolean; readonly roots: readonly string[] },
): BlockedAccess | null {
  const lines = shortLines(stderr).toReversed()
  for (const line of lines) {
    if (!given.hasNetwork && NETWORK.test(line)) return { kind: 'network' }
    const socket = line.search(SOCKET)
    if (socket !== -1 && REFUSED.test(line.slice(socket))) return { kind: 'socket' }
    const path = findPath(line)
    if (path === undefined || given.roots.some((root) => path === root || path.startsWith(`${root}/`)))
      continue
    if (READ_ONLY.test(line)) return { kind: 'write', path }
    if (DENIED.test(line)) return { kind: 'read', path }
  }
  return null
}

function findPath(line: string): string | undefined {
  const whole = PATH_WITH_BLANKS.exec(line)
    ?.slice(1)
    .find((path) => path !== undefined)
  return whole ?? PATH.exec(line)?.[1]
}
