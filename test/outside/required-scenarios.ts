import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outsideFolder } from './install.ts'

/** The scenarios that a revision of the protocol requires, as the suite has written them down. */
export async function readRequired(revision: string, side: 'server' | 'client'): Promise<readonly string[]> {
  const folder = join(await outsideFolder(), '@modelcontextprotocol', 'conformance', 'requirements')
  const lines = readFileSync(join(folder, `${revision}.yaml`), 'utf8').split('\n')
  const from = lines.indexOf(`${side}:`) + 1
  const length = lines.slice(from).findIndex((line) => !/^(?: {2}- |\s*#|\s*$)/.test(line))
  return lines.slice(from, from + length).flatMap((line) => /^ {2}- (\S+)$/.exec(line)?.[1] ?? [])
}
