import type { SyntaxProblem } from './syntax-problem.ts'
import { walkJson } from '../../core/json/walk.ts'
import type { JsonVisitor } from '../../core/json/walk.ts'
import { createLocator } from '../../core/text/position.ts'
import { problemAt } from './syntax-problem.ts'

const ignore = (): void => undefined
const SILENT: JsonVisitor = { open: ignore, close: ignore, key: ignore, item: ignore, number: ignore }
const MISFIT = /^found (.{1,200}) where (.{1,200}) was expected$/

/** Finds the first place where a text stops being JSON. */
export function checkJson(text: string): readonly SyntaxProblem[] {
  const failure = walkJson(text, SILENT)
  if (failure === undefined) return []
  const { offset, message } = failure
  const { line, column } = createLocator(text)(offset)
  const [, found, expected] = MISFIT.exec(message) ?? []
  const suggestion = suggest(text, offset, expected ?? '')
  if (found !== undefined && expected !== undefined) {
    return [problemAt({ line, column, expected, found, suggestion })]
  }
  const place = `line ${line}, column ${column}: ${message}`
  return [{ line, column, expected: 'valid JSON', found: message, suggestion, message: place }]
}

/** Suggests a fix for common mistakes. */
function suggest(text: string, offset: number, expected: string): string {
  const found = text[offset]
  if (found === undefined)
    return 'The text was cut short: write it to its end, with every bracket and quote closed.'
  if (found === '/' || found === '#') return 'Remove the comment: JSON has none.'
  if (found === "'") return 'Write double quotes.'
  const isAfterComma = text.slice(0, offset).trimEnd().endsWith(',')
  if ((found === '}' || found === ']') && isAfterComma) return 'Remove the comma before it.'
  if (expected.startsWith('a key')) return 'Write the key in double quotes.'
  if (expected.startsWith('","')) return 'Put a comma between the two, or close the bracket.'
  return found === '\\' ? 'Write \\\\ for a backslash.' : 'Correct the text at this place.'
}

const INTRODUCTION = /^Invalid TOML document: /

/** Finds the first place where a text stops being TOML. The parser is loaded on first use. */
export async function checkToml(text: string): Promise<readonly SyntaxProblem[]> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    parse(text, { integersAsBigInt: 'asNeeded' })
    return []
  } catch (error) {
    if (!(error instanceof TomlError)) return []
    const { line } = error
    const units = error.column - 1
    // The parser counts UTF-16 units; columns count characters.
    const column = Array.from((text.split(/\r?\n/)[line - 1] ?? '').slice(0, units)).length + 1
    const found = (error.message.split('\n', 1)[0] ?? '').replace(INTRODUCTION, '')
    const message = `line ${line}, column ${column}: ${found}`
    const suggestion =
      'Correct the text at this place; strings need quotes, and every key may appear only once.'
    return [{ line, column, expected: 'valid TOML', found, suggestion, message }]
  }
}
