import type { Source } from './read-source.ts'

const PIPELINE = 'src/pipeline/'
const CONDUCTOR = `${PIPELINE}run-batch.ts`

/** The pipeline's folders in the order a call passes them. `after` handles what was recorded earlier. */
const STAGES = ['parse', 'plan', 'approve', 'execute', 'record', 'commit', 'resume', 'after']

/** The one allowed look ahead: an approver is shown a preview, which is a run that is dropped. */
const LOOK_AHEAD = { from: ['plan', 'approve'], to: `${PIPELINE}execute/preview` }

/** Groups of files that import each other, directly or in a circle. */
export function findCycles(sources: readonly Source[]): readonly (readonly string[])[] {
  const graph = new Map(sources.map(({ file, imports }) => [file, imports]))
  const index = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const groups: string[][] = []
  const lowestOf = (file: string): number => lowest.get(file) ?? Infinity

  const visit = (file: string): void => {
    const own = index.size
    index.set(file, own)
    lowest.set(file, own)
    stack.push(file)
    for (const next of graph.get(file) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) lowest.set(file, Math.min(lowestOf(file), lowestOf(next)))
    }
    if (lowestOf(file) !== own) return
    const group = stack.splice(stack.indexOf(file))
    if (group.length > 1 || graph.get(file)?.includes(file) === true) groups.push(group)
  }

  for (const file of graph.keys()) if (!index.has(file)) visit(file)
  return groups
}

/** Imports that run against the order of the stages; null while the pipeline has no stage folders. */
export function findBackwardEdges(sources: readonly Source[]): readonly string[] | null {
  if (!sources.some(({ file }) => stageOf(file) !== null)) return null
  return sources
    .filter(({ file }) => file.startsWith(PIPELINE))
    .flatMap(({ file, imports }) =>
      imports.filter((target) => isBackward(file, target)).map((target) => `${file} -> ${target}`),
    )
}

function isBackward(file: string, target: string): boolean {
  const from = stageOf(file)
  const to = stageOf(target)
  if (from === null) return file !== CONDUCTOR && to !== null
  if (target === CONDUCTOR) return from !== 'after'
  if (to === null || STAGES.indexOf(to) <= STAGES.indexOf(from)) return false
  return !(LOOK_AHEAD.from.includes(from) && target.startsWith(LOOK_AHEAD.to))
}

function stageOf(file: string): string | null {
  const [folder = ''] = file.startsWith(PIPELINE) ? file.slice(PIPELINE.length).split('/') : []
  return STAGES.includes(folder) ? folder : null
}
