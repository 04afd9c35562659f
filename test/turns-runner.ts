import { appendFileSync } from 'node:fs'
import { matchesGlob, relative, sep } from 'node:path'
import { TestRunner } from 'vitest'
import type { RunnerTask, RunnerTestFile, RunnerTestSuite, SerializedConfig } from 'vitest'
import { readRequirements } from '../scripts/requirement-files.ts'
import { readTitle } from '../scripts/requirement-titles.ts'
import { TOP } from '../scripts/run-tool.ts'
import { COSTLY } from './costly.ts'
import { HARDENING_SEED } from './harness/long-run.ts'
import { chooseTurns } from './harness/take-turns.ts'

type Collected = (files: RunnerTestFile[]) => unknown

let known: ReadonlySet<string> | null = null

/** Runs a part of the tests of the costly files, and others the next time. */
export default class TurnsRunner extends TestRunner {
  #collected: Collected | undefined

  constructor(config: SerializedConfig) {
    super(config)
    // Vitest puts a function here that reports what there is to run: by then, only those whose turn it is are there.
    Object.defineProperty(this, 'onCollected', {
      get: () => this.#collected,
      set: (report: Collected) => {
        this.#collected = (files) => {
          for (const file of files) keepTurns(file)
          return report(files)
        }
      },
    })
  }
}

/** Takes those tests out of a file whose turn it is not. */
function keepTurns(file: RunnerTestFile): void {
  const name = relative(TOP, file.filepath).replaceAll(sep, '/')
  const [, part = 1] = COSTLY.find(([pattern]) => matchesGlob(name, pattern)) ?? []
  if (part === 1) return
  const tests = testsIn(file)
  const ids = (known ??= new Set(readRequirements(TOP).map(({ id }) => id)))
  const chosen = chooseTurns({
    titles: tests.map((test) => test.name),
    part,
    seed: HARDENING_SEED + [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 0),
    idsOf: (title) => readTitle(title, ids).ids,
  })
  keepOnly(file, new Set(tests.filter((_, at) => chosen.has(at))))
  const list = process.env['TURNS_LIST']
  if (list !== undefined)
    appendFileSync(list, `${tests.length - chosen.size} of ${tests.length} in ${name}\n`)
}

function testsIn(suite: RunnerTestSuite): readonly RunnerTask[] {
  return suite.tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task) : [task]))
}

/** Without a test, a suite goes too, and so do its hooks. */
function keepOnly(suite: RunnerTestSuite, chosen: ReadonlySet<RunnerTask>): void {
  suite.tasks = suite.tasks.filter((task) => {
    if (task.type !== 'suite') return chosen.has(task)
    keepOnly(task, chosen)
    return task.tasks.length > 0
  })
}
