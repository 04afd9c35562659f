import { expect, it } from 'vitest'
import { measureSources, renderFigures } from '../../scripts/house.ts'
import { findBackwardEdges, findCycles } from '../../scripts/house/import-graph.ts'
import { countChanges, instrument } from '../../scripts/house/instrument.ts'
import { readSource } from '../../scripts/house/read-source.ts'
import type { Source } from '../../scripts/house/read-source.ts'

function sourcesOf(files: Readonly<Record<string, string>>): readonly Source[] {
  return Object.entries(files).map(([file, text]) => readSource(file, text))
}

function functionsOf(text: string): readonly string[] {
  return readSource('src/core/a.ts', text).functions.map(
    ({ name, parameterCount, lineCount }) => `${name} ${parameterCount} ${lineCount}`,
  )
}

it('every way to import a file is seen', () => {
  const text = [
    "import { a } from './a.ts'",
    "import type { B } from '../core/b.ts'",
    "import './c.ts'",
    "export { d } from './d.ts'",
    "export * from './e.ts'",
    "const f = await import('./f.ts')",
    "type G = import('./g.ts').G",
    "import { join } from 'node:path'",
    'export const text = "import { z } from \'./z.ts\'"',
  ].join('\n')
  expect(readSource('src/host/x.ts', text).imports.toSorted()).toEqual(
    ['core/b', 'host/a', 'host/c', 'host/d', 'host/e', 'host/f', 'host/g'].map((name) => `src/${name}.ts`),
  )
})

it('a cycle is found, also through types and a file that imports itself', () => {
  const sources = sourcesOf({
    'src/core/a.ts': "import './b.ts'\nimport './d.ts'\n",
    'src/core/b.ts': "import type { C } from './c.ts'\n",
    'src/core/c.ts': "export * from './a.ts'\n",
    'src/core/d.ts': "import { d } from './d.ts'\n",
    'src/core/e.ts': "import './a.ts'\n",
  })
  expect(findCycles(sources).map((group) => group.toSorted())).toEqual([
    ['src/core/d.ts'],
    ['src/core/a.ts', 'src/core/b.ts', 'src/core/c.ts'],
  ])
})

it('files that meet again without a circle are not a cycle', () => {
  const sources = sourcesOf({
    'src/core/a.ts': "import './b.ts'\nimport './c.ts'\n",
    'src/core/b.ts': "import './d.ts'\n",
    'src/core/c.ts': "import './d.ts'\nimport './b.ts'\n",
    'src/core/d.ts': '',
  })
  expect(findCycles(sources)).toEqual([])
})

it.for([
  ['a stage looks ahead', 'plan/a.ts', '../commit/b.ts', 1],
  ['a stage looks ahead for a type', 'parse/a.ts', '../plan/b.ts', 1],
  ['a stage asks the conductor', 'execute/a.ts', '../run-batch.ts', 1],
  ['a shared file asks a stage', 'step.ts', './plan/b.ts', 1],
  ['a stage previews that may not', 'parse/a.ts', '../execute/preview.ts', 1],
  ['an approver is shown a run', 'approve/a.ts', '../execute/run-tool.ts', 1],
  ['an approver is shown a preview', 'approve/a.ts', '../execute/preview.ts', 0],
  ['a stage looks back', 'commit/a.ts', '../plan/b.ts', 0],
  ['a stage asks itself', 'plan/a.ts', './b.ts', 0],
  ['a stage asks a shared file', 'plan/a.ts', '../step.ts', 0],
  ['the conductor asks a stage', 'run-batch.ts', './resume/b.ts', 0],
  ['recovery runs a batch', 'after/a.ts', '../run-batch.ts', 0],
  ['recovery asks a stage', 'after/a.ts', '../resume/b.ts', 0],
] as const)('%s: from %s to %s, %i edges against the corridor', ([, file, from, count]) => {
  const sources = sourcesOf({
    [`src/pipeline/${file}`]: `import type { B } from '${from}'\n`,
    'src/pipeline/record/z.ts': '',
  })
  expect(findBackwardEdges(sources)).toHaveLength(count)
})

it('a pipeline without stage folders has no corridor to measure', () => {
  expect(findBackwardEdges(sourcesOf({ 'src/pipeline/one.ts': "import './two.ts'\n" }))).toBeNull()
})

it('functions are counted with their names, parameters and lines, and signatures are not', () => {
  const text = [
    'type Signature = (a: 1, b: 2, c: 3, d: 4, e: 5) => void',
    'function overloaded(a: number): void',
    'function overloaded(a: unknown): void {}',
    'const arrow = (a: 1, { b, c }: { b: 2; c: 3 }, [d]: number[], e = 5, ...f: number[]) => a',
    'const object = { method(a: 1) {}, value: function (a: 1, b: 2) {} }',
    'class Thing {',
    '  field = () => 1',
    '  constructor(a: 1,',
    '    b: 2) {}',
    '}',
    '[1].map((one) => one)',
  ].join('\n')
  expect(functionsOf(text).toSorted()).toEqual([
    'a callback 1 1',
    'arrow 5 1',
    'constructor 2 2',
    'field 0 1',
    'method 1 1',
    'overloaded 1 1',
    'value 2 1',
  ])
})

it('the table shows what is too long, too wide and too crowded', () => {
  const long = (lineCount: number): string => `function f${lineCount}() {\n${'\n'.repeat(lineCount - 2)}}\n`
  const wide = Array.from({ length: 21 }, (_, index) => [`src/host/h${index}.ts`, ''] as const)
  const sources = sourcesOf({
    'src/core/a.ts': `${long(100)}${long(101)}`,
    'src/core/b.ts': 'const four = (a, b, c, d) => 4\nconst five = (a, b, c, d, e) => 5\n',
    'src/core/c.ts': "import './c.ts'\n",
    ...Object.fromEntries(wide),
  })
  expect(renderFigures(measureSources(sources), false)).toBe(
    [
      'files                                24',
      'lines                                204',
      'median file                          0 lines',
      'largest file                         201 lines, src/core/a.ts',
      'widest folder                        21 files, src/host',
      'folders over 20 files                1',
      '  21 src/host',
      'import cycles                        1',
      '  src/core/c.ts',
      'edges against the corridor           no stage folders yet',
      'functions                            4',
      'functions with 5 or more parameters  1',
      'functions over 100 lines             1',
      '  101 f101 src/core/a.ts:101',
    ].join('\n'),
  )
  expect(renderFigures(measureSources(sources), true)).toContain('\n  5 five src/core/b.ts:2\n')
})

it('an instrumented file does the same and tells which room was entered', async () => {
  const text =
    'const add = (a, b) => ({ sum: a + b })\nexport function run() { return [1].map((x) => add(x, 2).sum) }\n'
  const rooms: string[] = []
  Object.assign(globalThis, { enterRoom: (room: string) => rooms.push(room) })
  const code = instrument('src/policy/a.ts', text)
  const { run } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { run: () => unknown }
  expect(run()).toEqual([3])
  expect(rooms).toEqual(['policy', 'policy', 'policy'])
})

it('only a step into another room is a change', () => {
  expect(countChanges(['core', 'core', 'host', 'core', 'core'])).toBe(2)
  expect(countChanges([])).toBe(0)
})
