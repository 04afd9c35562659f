import { join } from 'node:path'
import { isAtLeast, lookOf } from '../../../core/text/secrets/looks.ts'
import { redactSecrets } from '../../../core/text/secrets/redact.ts'
import { MAX_TEXT_BYTES, readPlainFile } from '../plain-file.ts'
import type { Origin } from '../plain-file.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The registry that npm uses outside of a sandbox, which hides the files that say so: npm keeps its downloads under the
 * address that they came from. Nothing else is taken from these files; null if there is none or if its address may give a
 * secret away.
 */
export function findNpmRegistry(env: Environment, home: string, root: string): string | null {
  const said =
    env['npm_config_registry'] ??
    env['NPM_CONFIG_REGISTRY'] ??
    readRegistry(join(root, '.npmrc'), 'project') ??
    readRegistry(env['npm_config_userconfig'] ?? env['NPM_CONFIG_USERCONFIG'] ?? join(home, '.npmrc'), 'own')
  return said !== null && isPlainAddress(said) ? said : null
}

const SETTING = /^\s*registry\s*=(?<value>.*)$/

/** The last one counts, as in npm; what follows a heading belongs to it. */
function readRegistry(file: string, origin: Origin): string | null {
  const read = readPlainFile(file, origin, MAX_TEXT_BYTES)
  if (read.is !== 'read') return null
  const lines = read.bytes.toString('utf8').split(/\r?\n/)
  const heading = lines.findIndex((line) => line.trimStart().startsWith('['))
  const top = heading === -1 ? lines : lines.slice(0, heading)
  const values = top.flatMap((line) => SETTING.exec(line)?.groups?.['value']?.trim() ?? [])
  return values.at(-1)?.replace(/^(["'])(.*)\1$/, '$2') ?? null
}

/** Whether an address names a server and folders on it, and nothing that lets anybody in. */
function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text) || redactSecrets(text) !== text) return false
  const { protocol, username, password, search, hash, pathname } = new URL(text)
  if (!['http:', 'https:'].includes(protocol) || username + password + search + hash !== '') return false
  // Some registries have a token for a folder.
  return pathname.split('/').every((part) => /^[\w.-]*$/.test(part) && !isAtLeast(lookOf(part), 'mixed'))
}
