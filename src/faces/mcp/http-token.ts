import { timingSafeEqual } from 'node:crypto'
import { Buffer } from 'node:buffer'
import { join } from 'node:path'
import { readSecretText } from '../../host/fs/own-text.ts'
import { createPrivateFileWith, makePrivateFolder } from '../../host/fs/private-files.ts'
import { systemClock } from '../../host/system/clock.ts'
import { seal, secretBytes } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { readKey } from '../../journal/chain/anchor-file.ts'
import { openStore } from '../../journal/open-store.ts'
import { stateFiles } from '../../journal/store/state-files.ts'
import { ConfigurationError } from '../../runtime/configure/configuration-error.ts'

const TOKEN_FILE = 'mcp-token'
const TOKEN_BYTES = 32

/** What clients of a server on loopback have to know. */
export interface HttpToken {
  readonly text: string
  /** Where a client finds it, in words. */
  readonly where: string
}

/**
 * The token of the environment, or one that is kept in a file that only its owner can read. A token of a file has a seal
 * in it, so that one that another program put there is refused: whoever chose it would know it.
 */
export function findToken(stateDir: string): HttpToken {
  const given = process.env['TONGS_MCP_TOKEN'] ?? ''
  if (given !== '') return { text: given, where: 'the token is that of TONGS_MCP_TOKEN' }
  // The runtime says what is wrong with a folder that is not safe, before anything is kept in it.
  makePrivateFolder(stateDir)
  const file = join(stateDir, TOKEN_FILE)
  const key = openKey(stateDir)
  const found = readSecretText(file, 'refuse-open')
  if (found.is === 'missing') createPrivateFileWith(file, makeToken(key))
  const stored = found.is === 'missing' ? readSecretText(file, 'refuse-open') : found
  const why =
    stored.is === 'read' ? whyNotOurs(key, stored.text.trim()) : 'why' in stored ? stored.why : 'it is gone'
  if (stored.is !== 'read' || why !== null)
    throw new ConfigurationError([
      {
        source: file,
        message: `this token is not used: ${why ?? ''}`,
        hint: 'remove the file and start again: a new one is made, which clients have to be given; or set TONGS_MCP_TOKEN',
      },
    ])
  return { text: stored.text.trim(), where: `the token is in ${file}` }
}

function makeToken(key: SealKey): string {
  const chosen = Buffer.from(secretBytes(TOKEN_BYTES)).toString('base64url')
  return `${chosen}.${sealOf(key, chosen)}`
}

function whyNotOurs(key: SealKey, token: string): string | null {
  const [chosen = '', sealed = '', ...more] = token.split('.')
  const wanted = sealOf(key, chosen)
  const isOurs = chosen !== '' && more.length === 0 && isSame(sealed, wanted)
  return isOurs ? null : 'it was not made with the key of this state folder, or by an earlier version'
}

function sealOf(key: SealKey, chosen: string): string {
  return seal(key, `tongs mcp token 1\n${chosen}`)
}

/** The key of the state folder, which a journal in memory does not make. */
function openKey(stateDir: string): SealKey {
  const { key: path } = stateFiles(stateDir)
  if (readKey(path) === null) openStore({ stateDir, durability: 'full', clock: systemClock }).close()
  const key = readKey(path)
  if (key === null) throw new Error(`the key ${path} cannot be read`)
  return key
}

/** Compares in a time that says nothing about where two texts differ. */
export function isSame(one: string, other: string): boolean {
  const [given, wanted] = [Buffer.from(one), Buffer.from(other)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
