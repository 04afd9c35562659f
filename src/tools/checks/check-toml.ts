import type { SyntaxProblem } from './syntax-problem.ts'

const INTRODUCTION = /^Invalid TOML document: /

/** Finds the first place where a text stops being TOML. The parser is loaded only now. */
export async function checkToml(text: string): Promise<readonly SyntaxProblem[]> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    parse(text, { integersAsBigInt: 'asNeeded' })
    return []
  } catch (error) {
    if (!(error instanceof TomlError)) return []
    const { line } = error
    const units = error.column - 1
    // The parser counts UTF-16 units; every other place counts characters.
    const column = Array.from((text.split(/\r?\n/)[line - 1] ?? '').slice(0, units)).length + 1
    const found = (error.message.split('\n', 1)[0] ?? '').replace(INTRODUCTION, '')
    const message = `line ${line}, column ${column}: ${found}`
    const suggestion = 'Correct the text at this place; strings need quotes, and every key stands only once.'
    return [{ line, column, expected: 'valid TOML', found, suggestion, message }]
  }
}
