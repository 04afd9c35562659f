import { COMPOUND } from './parse-command.ts'
import type { SimpleCommand } from './parse-command.ts'

/** Where a shell may begin another command, whatever quotes are around it. */
const BREAK = /\$\(|[;&|()`\n]|(?<!\$)\{|(?<!\$\{!?\w{0,128})\}/
/** A here-document and a here-string are no files. */
const REDIRECT = /(?<!<)(<>|>>|>\||[<>]&|[<>])[ \t]*["']?([^\s"'<>]+)/g
const QUOTES = /["'\\]/g
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/

/**
 * What may be the commands of a line that `parseCommand` does not understand: quotes are left out of account, so there are
 * rather too many of them. Decides what is shown, and never what is allowed.
 */
export function readRoughly(
  line: string,
): readonly Pick<SimpleCommand, 'assignments' | 'words' | 'redirects'>[] {
  return line.split(BREAK).flatMap((part) => {
    const redirects = [...part.matchAll(REDIRECT)].map(([, operator = '', target = '']) => ({
      operator: operator as SimpleCommand['redirects'][number]['operator'],
      target,
    }))
    const all = part
      .replace(REDIRECT, ' ')
      .replace(QUOTES, ' ')
      .split(/\s+/)
      .filter((word) => word !== '')
    const first = all.findIndex((word) => !COMPOUND.has(word) && !ASSIGNMENT.test(word))
    const words = first === -1 ? [] : all.slice(first)
    const script = words.findIndex((word) => /^-[A-Za-z]*c$/.test(word)) + 1
    const inner = script === 0 ? [] : [{ assignments: [], words: words.slice(script), redirects: [] }]
    return [{ assignments: all.slice(0, first === -1 ? all.length : first), words, redirects }, ...inner]
  })
}
