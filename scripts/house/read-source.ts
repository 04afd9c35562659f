import { dirname, join, normalize } from 'node:path'
import { parseSync, Visitor } from 'rolldown/utils'

/** One source file: what it imports and the functions it holds. */
export interface Source {
  readonly file: string
  readonly lineCount: number
  /** The project's own files that it imports, types included. */
  readonly imports: readonly string[]
  readonly functions: readonly FoundFunction[]
}

export interface FoundFunction {
  readonly name: string
  readonly file: string
  readonly line: number
  readonly lineCount: number
  readonly parameterCount: number
  readonly body: FunctionBody
}

/** Where the body lies in the text, so that a tracer can be put in front of it. */
interface FunctionBody {
  readonly start: number
  readonly end: number
  readonly isBlock: boolean
}

interface FunctionNode {
  readonly start: number
  readonly end: number
  readonly params: readonly unknown[]
  readonly body: { readonly type: string; readonly start: number; readonly end: number } | null
}

/** Reads a file's text. Signatures and overloads have no body and are not functions. */
export function readSource(file: string, text: string): Source {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`)
  const lineAt = lineFinder(text)
  const imports: string[] = []
  const functions: FoundFunction[] = []
  const names = new Map<unknown, string>()
  const addImport = (node: { readonly source: unknown } | null): void => {
    const from = literalOf(node?.source)
    if (from.startsWith('.')) imports.push(normalize(join(dirname(file), from)))
  }
  const nameValue = (key: unknown, value: unknown): void => {
    if (value !== null) names.set(value, nameOf(key) ?? 'a computed name')
  }
  const addFunction = (node: FunctionNode & { readonly id?: unknown }): void => {
    if (node.body === null) return
    functions.push({
      name: nameOf(node.id) ?? names.get(node) ?? 'a callback',
      file,
      line: lineAt(node.start),
      lineCount: lineAt(node.end) - lineAt(node.start) + 1,
      parameterCount: node.params.length,
      body: { start: node.body.start, end: node.body.end, isBlock: node.body.type === 'BlockStatement' },
    })
  }
  new Visitor({
    ImportDeclaration: addImport,
    ImportExpression: addImport,
    ExportAllDeclaration: addImport,
    ExportNamedDeclaration: addImport,
    TSImportType: addImport,
    VariableDeclarator: ({ id, init }) => nameValue(id, init),
    Property: ({ key, value }) => nameValue(key, value),
    PropertyDefinition: ({ key, value }) => nameValue(key, value),
    MethodDefinition: ({ key, value }) => nameValue(key, value),
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
  }).visit(program)
  return { file, lineCount: text.split('\n').length - 1, imports: [...new Set(imports)], functions }
}

function literalOf(node: unknown): string {
  const isLiteral = typeof node === 'object' && node !== null && 'value' in node
  return isLiteral && typeof node.value === 'string' ? node.value : ''
}

function nameOf(node: unknown): string | null {
  const isName = typeof node === 'object' && node !== null && 'name' in node
  return isName && typeof node.name === 'string' ? node.name : null
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0, ...text.matchAll(/\n/g).map(({ index }) => index + 1)]
  return (offset) => {
    const next = starts.findIndex((start) => start > offset)
    return next === -1 ? starts.length : next
  }
}
