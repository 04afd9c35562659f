import { noteLines } from './file-rows.ts'
import { rowPath } from './row-path.ts'

/** The symbols of files, as far as their text shows them. */
export interface ShownSymbols {
  readonly files: readonly {
    readonly path: string
    readonly symbols: readonly {
      readonly name: string
      readonly kind: string
      readonly line: number
      readonly end_line: number
      readonly depth: number
    }[]
  }[]
  readonly truncated: boolean
  readonly more?: string
  readonly notes?: readonly string[]
}

/** Symbols by file, one in a line: where it begins and ends, what it is, its name. */
export function renderSymbols({ files, truncated, more, notes }: ShownSymbols): string {
  const rows = files.map(({ path, symbols }) => {
    const lines = symbols.map(({ name, kind, line, end_line, depth }) => {
      const place = end_line > line ? `${line}-${end_line}` : `${line}`
      return `${'  '.repeat(depth)}${place}: ${kind} ${name}`
    })
    return [rowPath(path), ...lines].join('\n')
  })
  const way = truncated ? `\n[There are more${more === undefined ? '' : `: ${more}`}.]` : ''
  return `${rows.length === 0 ? 'No symbols found.' : rows.join('\n\n')}${way}${noteLines(notes)}`
}
