import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { benchAskingBefore } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import type { batchOf } from '../sample-tools.ts'
import { inAnother, leave, yes } from './waiting-bench.ts'

/** Calls of one batch. */
export type Calls = ReturnType<typeof batchOf>

/** A call that is asked about, and what somebody does to it before the answer comes. */
export interface Swap {
  readonly b: Bench
  readonly calls: Calls
  readonly change: () => void
  readonly options?: Partial<RuntimeOptions>
}

/** What came of a call, and the questions that were drawn about it. */
export interface Answered {
  readonly results: readonly ToolResult[]
  readonly questions: readonly ApprovalRequest[]
}

/** A person at hand says yes to the first question, after the change, and no to every further one. */
export async function answerAtHand({ b, calls, change, options }: Swap): Promise<Answered> {
  const questions: ApprovalRequest[] = []
  const runtime = await b.open({
    ...options,
    approve: (requests) => {
      const isFirst = questions.length === 0
      questions.push(...requests)
      if (isFirst) change()
      return requests.map(() => (isFirst ? 'once' : 'deny'))
    },
  })
  return { results: await runtime.run(calls), questions }
}

/** Another process says yes after the change. */
export async function answerLater({ b, calls, change, options = {} }: Swap): Promise<Answered> {
  const questions = await leave(b, calls, { ...options, tools: [] })
  change()
  const { results } = await inAnother(b, { ...options, tools: [] }, (runtime) => runtime.decide('all', yes))
  return { results, questions }
}

/** A project whose tests are those of Node, and one whose tests are those of vitest. */
export const NODE_TESTS = JSON.stringify({ scripts: { test: 'node --test' } })
export const VITEST_TESTS = JSON.stringify({ scripts: { test: 'vitest run' } })

/** A bench with tests of Node, and a vitest of its own that leaves a mark. */
export function benchWithTests(files: Readonly<Record<string, string>> = {}): Bench {
  const b = benchAskingBefore({ 'package.json': NODE_TESTS, 'a.test.js': '', ...files })
  chmodSync(b.put('node_modules/.bin/vitest', '#!/bin/sh\ntouch ran\n'), 0o755)
  return b
}

/** Nothing of any swapped call happened. */
export function expectNothingDone({ root }: Bench): void {
  expect(existsSync(join(root, 'ran'))).toBe(false)
  expect(existsSync(join(root, 'H/a'))).toBe(false)
}
