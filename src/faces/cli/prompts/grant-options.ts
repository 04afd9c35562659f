import { parseCommand } from '../../../core/command/parse-command.ts'
import type { GrantScope } from '../../../core/grant.ts'
import { readWebAddress } from '../../../core/web/web-address.ts'
import type { DecideOptions } from '../../../runtime/approvals/approvals.ts'
import { oneLine } from '../../../terminal/one-line.ts'
import { parseHunks } from '../../../terminal/hunk-choice.ts'
import type { ParsedLine } from '../arguments.ts'
import { UsageError } from '../errors.ts'

const USAGE = 'write tool, arguments, path:GLOB, origin:URL or command:WORDS'

/** The grant that `--for` and `--scope` ask for; empty without them. */
export function readGrantOptions(line: ParsedLine): Pick<DecideOptions, 'seconds' | 'scope'> {
  const seconds = line.value('--for')
  const scope = line.value('--scope')
  return {
    ...(seconds === undefined ? {} : { seconds: readSeconds(seconds) }),
    ...(scope === undefined ? {} : { scope: readScope(scope) }),
  }
}

/** The hunks that `--hunks` names; nothing without it. */
export function readHunks(line: ParsedLine): Pick<DecideOptions, 'hunks'> {
  const text = line.value('--hunks')
  if (text === undefined) return {}
  const hunks = parseHunks(text)
  if (hunks !== null) return { hunks }
  throw new UsageError(`--hunks ${JSON.stringify(text)} is not a list of hunks`, 'write --hunks 1,3-5')
}

/** A scope as a value of `--scope`; null if it cannot be written as one. */
export function wordFor(scope: GrantScope): string | null {
  switch (scope.kind) {
    case 'tool':
    case 'arguments':
      return scope.kind
    case 'values':
      return null
    case 'path':
      return quote(`path:${scope.glob}`)
    case 'origin':
      return quote(`origin:${scope.origin}`)
    case 'command':
      return scope.words.every((word) => PLAIN.test(word)) ? quote(`command:${scope.words.join(' ')}`) : null
  }
}

const PLAIN = /^[\w@%+=:,./-]+$/

/** Quotes a word for a shell; null if it cannot be shown exactly as typed. */
function quote(word: string): string | null {
  if (PLAIN.test(word)) return word
  return oneLine(word) === word && !word.includes("'") ? `'${word}'` : null
}

function readSeconds(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text) && Number(text) > 0) return Number(text)
  throw new UsageError(
    `--for ${JSON.stringify(text)} is not a number of seconds`,
    'write --for 600 for ten minutes',
  )
}

function readScope(text: string): NonNullable<DecideOptions['scope']> {
  if (text === 'tool') return { kind: 'tool' }
  if (text === 'arguments') return 'arguments'
  const [, kind, rest = ''] = /^(path|origin|command):(.*)$/s.exec(text) ?? []
  if (rest.trim() === '') throw new UsageError(`--scope ${JSON.stringify(text)} is not a scope`, USAGE)
  if (kind === 'path') return { kind, glob: rest }
  if (kind === 'origin') return { kind, origin: readOrigin(rest, text) }
  const parsed = parseCommand(rest)
  const words = parsed.ok && parsed.isPlain ? parsed.commands[0]?.words : undefined
  if (words !== undefined) return { kind: 'command', words }
  const why = parsed.ok ? 'it is more than the words of one program' : parsed.why
  throw new UsageError(`--scope ${JSON.stringify(text)} is not a scope: ${why}`, USAGE)
}

/** The origin of any address of it. */
function readOrigin(address: string, text: string): string {
  const read = readWebAddress(address)
  if (read.ok) return read.address.origin
  throw new UsageError(`--scope ${JSON.stringify(text)} is not a scope: ${read.why}`, USAGE)
}
