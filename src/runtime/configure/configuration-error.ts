import type { ConfigProblem } from '../../config/load-settings.ts'

/** The configuration is not valid; nothing was run. */
export class ConfigurationError extends Error {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(describeConfigProblem).join('\n'))
    this.name = 'ConfigurationError'
    this.problems = problems
  }
}

/** One problem on one line: where, what, and what to do. */
export function describeConfigProblem(problem: ConfigProblem): string {
  const line =
    problem.line === undefined
      ? ''
      : `:${problem.line}${problem.column === undefined ? '' : `:${problem.column}`}`
  const key = problem.key === undefined ? '' : ` ${problem.key}:`
  const hint = problem.hint === undefined ? '' : ` (${problem.hint})`
  return `${problem.source}${line}:${key} ${problem.message}${hint}`
}
