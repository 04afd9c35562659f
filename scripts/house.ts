import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findBackwardEdges, findCycles } from './house/import-graph.ts'
import { readSource } from './house/read-source.ts'
import type { FoundFunction, Source } from './house/read-source.ts'
import type { Trace } from './house/trace-calls.ts'
import { TOP } from './run-tool.ts'

const WIDE_FOLDER = 20
const MANY_PARAMETERS = 5
const LONG_FUNCTION = 100

/** One line of the table, and the findings behind its figure. */
export interface Figure {
  readonly label: string
  readonly value: string
  readonly list: readonly string[]
  /** Whether the findings are long and shown on request only. */
  readonly isListOptional?: boolean
}

/** The figures that the sources alone tell. */
export function measureSources(sources: readonly Source[]): readonly Figure[] {
  const bySize = sources.toSorted((one, other) => one.lineCount - other.lineCount)
  const [median, largest] = [bySize[Math.floor(bySize.length / 2)], bySize.at(-1)]
  const folders = countByFolder(sources)
  const [widest] = folders
  const cycles = findCycles(sources)
  const backward = findBackwardEdges(sources)
  const functions = sources.flatMap((source) => source.functions)
  const crowded = functions.filter(({ parameterCount }) => parameterCount >= MANY_PARAMETERS)
  const long = functions.filter(({ lineCount }) => lineCount > LONG_FUNCTION)
  return [
    figure('files', sources.length),
    figure(
      'lines',
      sources.reduce((sum, { lineCount }) => sum + lineCount, 0),
    ),
    figure('median file', `${median?.lineCount ?? 0} lines`),
    figure('largest file', `${largest?.lineCount ?? 0} lines, ${largest?.file ?? 'none'}`),
    figure('widest folder', `${widest?.[1] ?? 0} files, ${widest?.[0] ?? 'none'}`),
    figure(
      `folders over ${WIDE_FOLDER} files`,
      folders.filter(([, count]) => count > WIDE_FOLDER).length,
      folders.filter(([, count]) => count > WIDE_FOLDER).map(([folder, count]) => `${count} ${folder}`),
    ),
    figure(
      'import cycles',
      cycles.length,
      cycles.map((group) => group.join(' ')),
    ),
    figure('edges against the corridor', backward?.length ?? 'no stage folders yet', backward ?? []),
    figure('functions', functions.length),
    {
      ...figure(`functions with ${MANY_PARAMETERS} or more parameters`, crowded.length),
      list: rank(crowded, 'parameterCount'),
      isListOptional: true,
    },
    figure(`functions over ${LONG_FUNCTION} lines`, long.length, rank(long, 'lineCount')),
  ]
}

/** Labels on the left, figures on the right, findings indented below. */
export function renderFigures(figures: readonly Figure[], isFull: boolean): string {
  const width = Math.max(...figures.map(({ label }) => label.length))
  return figures
    .flatMap(({ label, value, list, isListOptional }) => [
      `${label.padEnd(width)}  ${value}`,
      ...(isListOptional === true && !isFull ? [] : list.map((item) => `  ${item}`)),
    ])
    .join('\n')
}

function figure(label: string, value: number | string, list: readonly string[] = []): Figure {
  return { label, value: String(value), list }
}

function countByFolder(sources: readonly Source[]): readonly (readonly [string, number])[] {
  const groups = Object.groupBy(sources, ({ file }) => dirname(file))
  return Object.entries(groups)
    .map(([folder, files = []]) => [folder, files.length] as const)
    .toSorted(([, one], [, other]) => other - one)
}

function rank(functions: readonly FoundFunction[], by: 'parameterCount' | 'lineCount'): readonly string[] {
  return functions
    .toSorted((one, other) => other[by] - one[by])
    .map((found) => `${found[by]} ${found.name} ${found.file}:${found.line}`)
}

/** The calls run in a process of their own, where every function of src reports that it was entered. */
function measureCalls(): readonly Figure[] {
  const script = join(import.meta.dirname, 'house/trace-calls.ts')
  const traces = JSON.parse(
    execFileSync(process.execPath, [script], { encoding: 'utf8' }),
  ) as readonly Trace[]
  return traces.map(({ tool, entryCount, changeCount }) =>
    figure(`room changes of a ${tool}`, `${changeCount} in ${entryCount} function entries`),
  )
}

if (import.meta.main) {
  const files = globSync('src/**/*.ts', { cwd: TOP }).toSorted()
  const sources = files.map((file) => readSource(file, readFileSync(join(TOP, file), 'utf8')))
  const figures = [...measureSources(sources), ...measureCalls()]
  console.log(renderFigures(figures, process.argv.includes('--list')))
}
